"""Values that steps tell: the same one by one and many at a time, as they were when they were read, within their budget."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.trace.value_reader import LARGEST, WAITING, ValueReader
from engine.trace.values import WHOLE, value_of

RICH = 10**9
SHAPES = [(WHOLE + 1,), (100, 1), (1, 100), (13, 17), (40, 30), (3, 5, 7), (2, 1, 2, 40), (LARGEST + 1,)]


def numbers(shape: tuple[int, ...], seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("shape", SHAPES)
def test_values_worked_out_together_are_those_worked_out_alone(shape: tuple[int, ...]) -> None:
    reader = ValueReader(RICH)
    arrays = [numbers(shape, seed) for seed in range(3)]
    arrays[1][(0,) * len(shape)] = np.nan
    arrays[2][(-1,) * len(shape)] = np.inf
    values = [reader.read(array) for array in (*arrays, *(array.T for array in arrays))]
    reader.settle()
    assert values == [value_of(array, "float32") for array in (*arrays, *(array.T for array in arrays))]


def test_a_value_is_what_the_tensor_held_when_it_was_read() -> None:
    reader = ValueReader(RICH)
    array = numbers((10, 10), 0)
    before = value_of(array, "float32")
    value = reader.read(array)
    array[:] = 0
    reader.settle()
    assert value == before


def test_no_more_elements_wait_than_there_is_room_for() -> None:
    reader = ValueReader(RICH)
    first = reader.read(numbers((LARGEST,), 0))
    assert first.low is None
    for seed in range(WAITING // LARGEST):
        reader.read(numbers((LARGEST,), seed))
    assert first == value_of(numbers((LARGEST,), 0), "float32")


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_beyond_the_budget_a_value_keeps_its_form_its_range_and_its_faults(dtype: str) -> None:
    array = numbers((20, 30), 0).astype(dtype)
    if dtype == "float32":
        array[3, 4:6] = np.nan, np.inf
    whole = value_of(array, dtype)
    reader = ValueReader(2)
    value = reader.read(array)
    reader.settle()
    assert whole.thumbnail is not None
    assert value.thumbnail is None
    assert (value.shape, value.text, value.low, value.high) == (whole.shape, whole.text, whole.low, whole.high)
    assert (value.nonfinite, value.nan) == (whole.nonfinite, whole.nan)
