"""``torch.utils.benchmark`` measures what it is told to, and shows it as PyTorch does."""

from __future__ import annotations

import pytest

from engine import torch
from engine.torch.utils import benchmark
from engine.torch.utils.benchmark import Compare, Measurement, TaskSpec, Timer


def measured(seconds: list[float], description: str = "d") -> Measurement:
    """Times of ten runs each."""
    return Measurement(10, seconds, TaskSpec("x + 1", "", label="add", sub_label="s", description=description))


def test_a_timer_runs_the_statement_as_often_as_asked() -> None:
    calls: list[int] = []
    timer = Timer("f()", globals={"f": lambda: calls.append(1)})
    assert timer.timeit(5).number_per_run == 5
    assert len(calls) == 7  # two to warm up
    with pytest.raises(NameError, match="name 'y' is not defined"):
        Timer("y + 1").timeit(1)


def test_a_measurement_reads_as_in_pytorch() -> None:
    assert repr(measured([28e-6, 28.3e-6] * 5)).splitlines()[1:] == [
        "add: s", "d", "  Median: 2.82 us", "  IQR:    0.03 us (2.80 to 2.83)", "  10 measurements, 10 runs per measurement, 1 thread",
    ]  # fmt: skip
    assert repr(measured([10e-6, 50e-6, 90e-6])).splitlines()[3:] == [
        "  Median: 5.00 us", "  3 measurements, 10 runs per measurement, 1 thread",
        "  WARNING: Interquartile range is 80.0% of the median measurement.",
        "           This suggests significant environmental influence.",
    ]  # fmt: skip
    assert measured([28e-6, 28.3e-6] * 5).significant_figures == 2
    assert repr(measured([150e-6])).splitlines()[-2:] == ["  15.00 us", "  1 measurement, 10 runs , 1 thread"]


def test_a_comparison_is_a_table_as_in_pytorch() -> None:
    assert str(Compare([measured([28e-6, 28e-6])])) == (
        "[---- add ----]\n         |   d \n1 threads: ----\n      s  |  2.8\n\nTimes are in microseconds (us).\n"
    )


def test_it_is_found_under_torch_utils() -> None:
    assert torch.utils.benchmark is benchmark
    assert benchmark.select_unit(3e-5) == ("us", 1e-6)
