"""Tensors among numpy arrays and in Python's copying protocols."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from engine import torch


def test_asarray_shares_memory_both_ways() -> None:
    tensor = torch.tensor([1.0, 2.0])
    array = np.asarray(tensor)
    array[0] = 9
    tensor[1] = 8.0
    assert tensor.tolist() == [9.0, 8.0]
    assert array.tolist() == [9.0, 8.0]


def test_asarray_with_another_dtype_is_a_copy() -> None:
    tensor = torch.tensor([1.5])
    array = np.asarray(tensor, dtype=np.int64)
    array[0] = 7
    assert tensor.tolist() == [1.5]


def test_a_tensor_that_requires_grad_does_not_become_an_array() -> None:
    tensor = torch.tensor([1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match=r"^Can't call numpy\(\) on Tensor that requires grad"):
        np.asarray(tensor)


def test_a_numpy_function_of_a_tensor_gives_a_tensor() -> None:
    result = np.sqrt(torch.tensor([4.0, 9.0]))
    assert isinstance(result, torch.Tensor)
    assert result.tolist() == [2.0, 3.0]


def test_a_deep_copy_is_a_leaf_with_its_own_storage_and_gradient() -> None:
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    (leaf * 3).sum().backward()
    twin = copy.deepcopy(leaf)
    assert twin.is_leaf
    assert twin.requires_grad
    assert twin.grad is not leaf.grad
    assert twin.grad.tolist() == [3.0, 3.0]
    with torch.no_grad():
        twin[0] = 5.0
    assert leaf.tolist() == [1.0, 2.0]


def test_deep_copies_share_storage_where_the_originals_did() -> None:
    tensor = torch.tensor([1.0, 2.0, 3.0])
    both = copy.deepcopy([tensor, tensor[1:]])
    both[0][1] = 9.0
    assert both[1].tolist() == [9.0, 3.0]


def test_a_result_cannot_be_deep_copied() -> None:
    result = torch.tensor([1.0], requires_grad=True) * 2
    with pytest.raises(RuntimeError, match=r"^Only Tensors created explicitly by the user"):
        copy.deepcopy(result)


def test_a_reversed_tensor_runs_backwards() -> None:
    assert [int(v) for v in reversed(torch.tensor([1, 2, 3]))] == [3, 2, 1]


def test_apply_writes_in_place_and_counts() -> None:
    tensor = torch.tensor([1.0, 2.0])
    assert tensor.apply_(lambda v: v * 10) is tensor
    assert tensor.tolist() == [10.0, 20.0]
    assert tensor._version == 1


def test_apply_refuses_a_tensor_that_requires_grad() -> None:
    with pytest.raises(RuntimeError, match=r"^Can't call apply_\(\) on Variable that requires grad"):
        torch.tensor([1.0], requires_grad=True).apply_(lambda v: v)
