"""``x[…]``, read and written: what programs with numpy's arrays and shared memory see."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from engine import torch


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


def test_an_empty_slice_at_the_end_of_the_memory_is_a_view_like_any_other() -> None:
    row = torch.tensor([[1.0, 2.0]])
    assert row.diagonal()[1:].shape == (0,)


def test_only_index_zero_of_a_0d_tensor_asks_for_item() -> None:
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        torch.tensor(1.0)[0]
    with pytest.raises(IndexError, match="index -1 is out of bounds for dimension 0 with size 0"):
        torch.tensor(1.0)[-1]


@pytest.mark.parametrize(
    ("line", "count"), [("x[m]", 1), ("x[:, m]", 1), ("x[m, m]", 2), ("x[m] = torch.ones(1, 2)", 1)]
)
def test_each_mask_of_bytes_is_warned_about(line: str, count: int) -> None:
    names = {"x": torch.ones(2, 2), "m": torch.tensor([0, 1], dtype=torch.uint8), "torch": torch}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        exec(line, names)
    words = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
    assert [str(warning.message) for warning in told] == [words] * count


@pytest.mark.parametrize(
    ("line", "count"),
    [("x[[[0, 1], [0, 1]]]", 1), ("x[[slice(0, 1)]] = 2.0", 1), ("x[[0, 1]]", 0), ("x[[True, False]]", 0)],
)
def test_a_list_that_stands_for_a_tuple_is_warned_about(line: str, count: int) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        exec(line, {"x": torch.ones(2, 2)})
    words = "Using a non-tuple sequence for multidimensional indexing is deprecated"
    assert [str(warning.message)[: len(words)] for warning in told] == [words] * count


@pytest.mark.parametrize(
    ("line", "alike"),
    [
        ("x.masked_fill_(torch.tensor([True, False]), 1.0)", "tensor[mask] = scalar"),
        ("x.index_fill_(0, torch.tensor([0]), 1.0)", "tensor[mask] = scalar"),
        ("x[torch.tensor([0])] = 1.0", "tensor[indices] = tensor"),
    ],
)
def test_a_write_to_an_expanded_tensor_is_warned_about(line: str, alike: str) -> None:
    with pytest.warns(UserWarning, match="on expanded tensors is deprecated") as told:
        exec(line, {"x": torch.zeros(1).expand(2), "torch": torch})
    assert str(told[0].message).endswith(alike)


def test_a_condition_of_bytes_is_warned_about() -> None:
    x = torch.ones(2)
    with pytest.warns(UserWarning, match="where received a uint8 condition tensor"):
        torch.where(torch.tensor([0, 1], dtype=torch.uint8), x, x)
