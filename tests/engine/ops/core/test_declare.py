"""A call that fitted is not asked again; another that looks like it is."""

from __future__ import annotations

import pytest

import engine.torch as torch


def test_a_call_that_fitted_opens_no_way_for_arguments_of_other_types() -> None:
    x = torch.ones(2, 3)
    assert x.sum(0, True).shape == (1, 3)
    with pytest.raises(TypeError, match=r"sum\(\): argument .keepdim. \(position 2\) must be bool, not int"):
        x.sum(0, 1)
    assert x.sum(0, True).shape == (1, 3)


def test_names_in_a_call_count_though_the_same_call_without_them_fitted() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    assert x.mean().tolist() == 2.75
    assert x.mean(dim=1).tolist() == [1.5, 4.0]
    assert x.mean(dtype=torch.float64).dtype is torch.float64


def test_a_number_stands_for_the_first_of_two_tensors_only() -> None:
    x = torch.tensor([1.0, 2.0])
    assert torch.pow(2, x).tolist() == [2.0, 4.0]
    with pytest.raises(TypeError, match=r"pow\(\) received an invalid combination of arguments - got \(int, int\)"):
        torch.pow(2, 3)
