"""How many cores there are: the machine's, or a container's share of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.cores import cores


@pytest.fixture
def four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(
    ("cpu_max", "expected"),
    [
        ("max 100000\n", 4),
        ("200000 100000\n", 2),
        ("150000 100000\n", 2),
        ("50000 100000\n", 1),
        ("6400000 100000\n", 4),
        ("", 4),
        ("what is this", 4),
    ],
)
def test_a_share_of_processor_time_counts_as_that_many_cores(tmp_path: Path, cpu_max: str, expected: int) -> None:
    file = tmp_path / "cpu.max"
    file.write_text(cpu_max)
    assert cores(file) == expected


@pytest.mark.usefixtures("four")
def test_without_a_share_it_is_the_cores_that_the_process_may_run_on(tmp_path: Path) -> None:
    assert cores(tmp_path / "missing") == 4
