"""Adaptive averages are added up and divided in PyTorch's order: what is whole stays whole, to the last bit."""

from __future__ import annotations

import pytest

from engine import torch
from engine.ops.neural.adaptive_average_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d


def test_means_of_whole_numbers_are_whole() -> None:
    rows = torch.arange(25.0).view(1, 5, 5)
    assert adaptive_avg_pool1d(rows, 2).tolist() == [[[1.0, 3.0], [6.0, 8.0], [11.0, 13.0], [16.0, 18.0], [21.0, 23.0]]]


def test_a_batch_of_nothing_gives_a_batch_of_nothing() -> None:
    assert adaptive_avg_pool1d(torch.ones(0, 8, 8), 5).shape == (0, 8, 5)
    assert adaptive_avg_pool2d(torch.ones(0, 8, 8, 8), 5).shape == (0, 8, 5, 5)
    assert adaptive_avg_pool3d(torch.ones(0, 8, 8, 8, 8), 5).shape == (0, 8, 5, 5, 5)


@pytest.mark.parametrize(
    ("dtype", "means", "slopes"),
    [
        (
            torch.float32,
            [0.30000001192092896, 0.45000001788139343, 1.2000000476837158, 1.350000023841858],
            [0.0, 0.15000000596046448, 0.15000000596046448, 0.30000001192092896, 0.75, 0.45000001788139343],
        ),
        (
            torch.float16,
            [0.300048828125, 0.449951171875, 1.2001953125, 1.349609375],
            [0.0, 0.1500244140625, 0.1500244140625, 0.300048828125, 0.75, 0.449951171875],
        ),
    ],
)
def test_means_and_slopes_have_pytorchs_last_bit(dtype: torch.dtype, means: list[float], slopes: list[float]) -> None:
    image = (torch.arange(12.0).view(1, 4, 3) / 10 * 1.5).to(dtype).requires_grad_()
    pooled = adaptive_avg_pool2d(image, 2)
    (pooled.float() * torch.arange(4.0).view(1, 2, 2) * 0.6).sum().backward()
    assert pooled.flatten().tolist() == means
    assert image.grad[0, 1:3].flatten().tolist() == slopes
