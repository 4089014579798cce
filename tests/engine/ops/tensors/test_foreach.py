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
