"""``x[…]``, read and written, as real PyTorch does it (see `tests.oracle.program_outcome`)."""

from __future__ import annotations

import numpy as np
import pytest

from engine import torch
from tests.oracle.shape_answers import assert_as_recorded, programs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", programs("indexing"))
def test_reading_by_index_does_what_it_does_in_pytorch(program: str) -> None:
    assert_as_recorded(program)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", programs("assignment"))
def test_writing_by_index_does_what_it_does_in_pytorch(program: str) -> None:
    assert_as_recorded(program)


def test_numpy_arrays_and_integers_index_like_tensors() -> None:
    tensor = torch.arange(6).reshape(2, 3)
    assert tensor[np.array([1]), np.array([2])].tolist() == [5]
    assert tensor[np.int64(1)].tolist() == [3, 4, 5]
    assert tensor[np.array([False, True])].tolist() == [[3, 4, 5]]


def test_a_written_view_is_seen_by_the_array_that_shares_its_memory() -> None:
    tensor = torch.zeros(2, 3)
    array = tensor[1].numpy()
    tensor[1:, 1] = 7.0
    assert array.tolist() == [0.0, 7.0, 0.0]


def test_a_number_written_into_an_expanded_leaf_is_refused_for_the_leaf_first() -> None:
    expanded = torch.ones(2, 2, requires_grad=True).expand(2, 2, 2).unsqueeze(0)
    with pytest.raises(
        RuntimeError, match=r"^a view of a leaf Variable that requires grad is being used in an in-place operation"
    ):
        expanded[0] = 2.5
    with torch.no_grad(), pytest.raises(RuntimeError, match=r"^unsupported operation: more than one element"):
        expanded[0] = 2.5
