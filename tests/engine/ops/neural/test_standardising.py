"""Gradients through normalisations cancel exactly where PyTorch's do: people print them to see that they are zero."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch

nn = torch.nn
HALVES = [0.0, 0.5, 1.0, 1.5, 2.0, 0.0, 0.5, 1.0, 1.5, 2.0, 0.0, 0.5]


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.LayerNorm(4, elementwise_affine=False), (3, 4)),
        (nn.LayerNorm(4), (3, 4)),
        (nn.BatchNorm1d(3), (4, 3)),
        (nn.BatchNorm1d(1, affine=False), (12, 1)),
    ],
)
def test_the_gradient_of_a_sum_of_normalised_numbers_is_exactly_zero(layer: Any, shape: tuple[int, ...]) -> None:
    x = torch.tensor(HALVES).reshape(shape).requires_grad_()
    layer(x).sum().backward()
    assert x.grad.tolist() == torch.zeros(shape).tolist()


def test_a_batch_normed_cube_has_the_gradient_that_pytorch_prints() -> None:
    x = torch.tensor([[0.5], [2.0], [3.5], [4.0]], requires_grad=True)
    nn.BatchNorm1d(1, affine=False)(x).pow(3).sum().backward()
    assert str(x.grad.flatten()) == "tensor([ 1.3145, -2.1909, -0.4382,  1.3145])"
