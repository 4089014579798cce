"""A meta array has a form; nobody gets numbers out of it, whatever way they ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine import torch
from engine.ops.meta.arrays import HELD, MetaArray, meta_array

READING: dict[str, Callable[[Any], Any]] = {
    "an element": lambda array: array.item(),
    "a list": lambda array: array.tolist(),
    "its truth": bool,
    "a sum": np.sum,
    "a difference": lambda array: array - 1,
    "zeros in it": np.nonzero,
    "whether any": lambda array: array.any(),
}


@pytest.mark.parametrize("what", READING)
@pytest.mark.parametrize("count", [3, HELD])
def test_whoever_asks_for_numbers_is_refused(what: str, count: int) -> None:
    with pytest.raises((RuntimeError, NotImplementedError)):
        READING[what](meta_array((count,), np.dtype(np.float32)))


def test_a_large_array_takes_no_memory_and_says_the_strides_of_one_that_does() -> None:
    array = meta_array((10**6, 10**6), np.dtype(np.float64))
    assert array.strides == (8 * 10**6, 8)
    assert array.flags.c_contiguous
    assert array.base is not None
    assert array.base.nbytes == 8


def test_writing_leaves_it_as_it_is() -> None:
    array = meta_array((2,), np.dtype(np.float32))
    array[0] = 5
    assert array.view(np.ndarray).tolist() == [1, 1]


def test_views_and_copies_have_no_numbers_either() -> None:
    array = meta_array((4, 6), np.dtype(np.float32))
    assert {type(part) for part in (array.T, array[1:], array.copy(), array.astype(np.float64))} == {MetaArray}
    assert array.T.copy().strides == array.T.strides


def test_the_default_generator_draws_nothing_for_meta_tensors() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        before = torch.get_rng_state()
        torch.randn(5, device="meta").bernoulli_()
        torch.nn.functional.dropout(torch.ones(3, device="meta"))
        torch.nn.LSTM(3, 3, device="meta")
        assert torch.equal(before, torch.get_rng_state())
