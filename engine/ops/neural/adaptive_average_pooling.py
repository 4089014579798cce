"""Adaptive average pooling: the mean of each of as many regions as the output has places."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.neural.adaptive_sizes import full_output_size, regions
from engine.ops.neural.flat_slopes import zeros_for
from engine.ops.neural.pooling_shapes import pooled_shapes
from engine.ops.neural.windows import Sizes
from engine.summation import carrier, in_turn
from engine.tensor import Tensor


def boxes(shape: Sizes, out: Sizes) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each place of the output, and the region that it averages."""
    along_each = [[slice(*ends) for ends in regions(n, o)] for n, o in zip(shape, out, strict=True)]
    yield from zip(np.ndindex(*out), itertools.product(*along_each), strict=True)


def shared_out(total: Any, region: tuple[slice, ...]) -> Any:
    """A region's total by its size, one dimension after the other as PyTorch's kernel divides."""
    for part in region:
        total = total / total.dtype.type(part.stop - part.start)
    return total


def adaptive(dims: int) -> Any:
    """Declares ``adaptive_avg_pool2d`` or ``…3d`` with its gradient."""

    @operator(
        at="internal",
        name=f"adaptive_avg_pool{dims}d_backward",
        grad_output=lambda grad, grad_output_shape: forward(grad, tuple(grad_output_shape[-dims:])),
        self=lambda self: zeros_for(self),
    )
    def back(grad_output: Any, self: Any) -> Any:
        """The derivative of the function that its name begins with, as an operation of its own."""
        shares, slopes = np.asarray(grad_output), np.zeros(self.shape, self.dtype)
        for place, region in boxes(self.shape[-dims:], grad_output.shape[-dims:]):
            share = shared_out(shares[(..., *place)], region)
            slopes[(..., *region)] += share[(..., *[None] * dims)]
        return slopes

    @operator(
        at="internal",
        order="images",
        name=f"adaptive_avg_pool{dims}d",
        formula="mean over each region",
        saves="self",
        self=lambda grad, self: back(grad, self),
    )
    def forward(self: Any, output_size: Sizes) -> Any:
        """Cuts the input into regions and averages each; a region's elements share its gradient equally."""
        lead = self.shape[:-dims]
        wide: Any = self.astype(carrier(self.dtype))
        means: Any = np.empty((*lead, *output_size), self.dtype)
        for place, region in boxes(self.shape[-dims:], output_size):
            part = wide[(..., *region)]
            # Not -1: a batch of nothing has no elements to count by.
            elements = part.reshape(math.prod(lead), math.prod(part.shape[-dims:]))
            means[(..., *place)] = shared_out(in_turn(elements.T).reshape(lead), region)
        return means

    return forward


def adaptive_pooling(dims: int) -> Any:
    """Declares ``adaptive_avg_pool2d`` or ``…3d`` as people call it."""
    function, by_regions = f"adaptive_avg_pool{dims}d", adaptive(dims)

    @composite(at="functional", name=function, explanation=pooled_shapes(dims, "*output_size"))
    def pool(input: Tensor, output_size: Any) -> Any:
        size = full_output_size(function, input, output_size, dims)
        if size == (1,) * dims:
            return input.mean(tuple(range(-1, -1 - dims, -1)), keepdim=True)
        return by_regions(input, size)

    return pool


adaptive_avg_pool2d, adaptive_avg_pool3d = adaptive_pooling(2), adaptive_pooling(3)


@composite(at="torch functional")
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """(N, C, L) → (N, C, output_size)."""
    size = full_output_size("adaptive_avg_pool1d", input, output_size, 1)
    row: Tensor = adaptive_avg_pool2d(input.unsqueeze(-2), (1, *size))
    return row.squeeze(-2)
