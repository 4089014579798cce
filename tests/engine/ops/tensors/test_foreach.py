"""Functions of lists of tensors: numbers as PyTorch takes them. The values are PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch


@pytest.mark.parametrize(
    ("name", "other", "values", "gradient"),
    [
        ("maximum", 2.0, [2.0, 3.0], [0.0, 1.0]),
        ("maximum", [2.0, 1.0], [2.0, 3.0], [0.0, 1.0]),
        ("minimum", 2.0, [1.0, 2.0], [1.0, 0.0]),
        ("minimum", [2.0, 1.0], [1.0, 2.0], [1.0, 0.0]),
        ("add", 2.0, [3.0, 5.0], [1.0, 1.0]),
        ("pow", [2.0, 1.0], [1.0, 9.0], [2.0, 6.0]),
    ],
)
def test_a_number_stands_beside_every_tensor_or_one_beside_each(
    name: str, other: Any, values: list[float], gradient: list[float]
) -> None:
    tensors = [torch.tensor([1.0, 3.0], requires_grad=True) for _ in range(2)]
    results = getattr(torch, f"_foreach_{name}")(tensors, other)
    results[0].sum().backward()
    assert results[0].tolist() == values
    assert tensors[0].grad.tolist() == gradient


def test_norms_largest_elements_products_and_copies_of_a_list() -> None:
    tensors = [torch.tensor([3.0, -4.0]), torch.tensor([1.0])]
    assert torch._foreach_norm(tensors) == (torch.tensor(5.0), torch.tensor(1.0))
    assert torch._foreach_norm(tensors, 1, dtype=torch.float64)[0].dtype == torch.float64
    assert torch._foreach_max(tensors) == (torch.tensor(3.0), torch.tensor(1.0))
    assert torch._foreach_mm([torch.eye(2)], [torch.ones(2, 2)])[0].tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert torch._foreach_clone(tensors)[0] is not tensors[0]
