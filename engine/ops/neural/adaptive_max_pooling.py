"""Adaptive max pooling: the largest of each of as many regions as the output has places."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.neural.adaptive_sizes import full_output_size, regions
from engine.ops.neural.picking import put_back_operator
from engine.ops.neural.windows import Sizes
from engine.tensor import Tensor


def largest_in_regions(array: Any, spans: list[list[tuple[int, int]]]) -> tuple[Any, Any]:
    """Values and flat indices of the largest element of each region (the regions are the product of ``spans``)."""
    dims = len(spans)
    lead, sizes = array.shape[:-dims], array.shape[-dims:]
    out = tuple(len(s) for s in spans)
    values = np.empty((*lead, *out), array.dtype)
    indices = np.empty((*lead, *out), np.int64)
    for place in np.ndindex(*out):
        bounds = [spans[d][i] for d, i in enumerate(place)]
        part = array[(..., *(slice(a, b) for a, b in bounds))]
        shape = part.shape[-dims:]
        flat = part.reshape(*lead, math.prod(shape))
        best = flat.argmax(-1)
        values[(..., *place)] = np.take_along_axis(flat, best[..., None], -1)[..., 0]
        index = np.zeros_like(best)
        for d, position in enumerate(np.unravel_index(best, shape)):
            index = index * sizes[d] + position + bounds[d][0]
        indices[(..., *place)] = index
    return values, indices


def adaptive(dims: int) -> Any:
    """Declares ``adaptive_max_pool2d`` or ``…3d``."""
    back = put_back_operator(f"adaptive_max_pool{dims}d", dims, f"AdaptiveMaxPool{dims}D")

    @operator(
        at="internal",
        order="images",
        name=f"adaptive_max_pool{dims}d",
        formula="max over each region",
        outputs="result0 result1",
        nondifferentiable=(1,),
        undefined_gradients=True,
        saves="result1 self",
        self=lambda grads, self, result1: back(grads[0], self, result1),
    )
    def forward(self: Any, output_size: Sizes) -> Any:
        """Cuts the input into regions and keeps the largest of each; that element gets the region's gradient, the
        others get zero.
        """
        return largest_in_regions(self, [regions(n, o) for n, o in zip(self.shape[-dims:], output_size, strict=True)])

    return forward


ADAPTIVE = {2: adaptive(2), 3: adaptive(3)}


@composite(at="functional", parsed=True)
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """(N, C, H, W) → (N, C, *output_size)."""
    values, indices = ADAPTIVE[2](input, full_output_size("adaptive_max_pool2d", input, output_size, 2))
    return (values, indices) if return_indices else values


@composite(at="functional", parsed=True)
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """(N, C, D, H, W) → (N, C, *output_size)."""
    values, indices = ADAPTIVE[3](input, full_output_size("adaptive_max_pool3d", input, output_size, 3))
    return (values, indices) if return_indices else values


@composite(at="functional", parsed=True)
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """(N, C, L) → (N, C, output_size)."""
    size = full_output_size("adaptive_max_pool1d", input, output_size, 1)
    values, indices = ADAPTIVE[2](input.unsqueeze(-2), (1, *size))
    return (values.squeeze(-2), indices.squeeze(-2)) if return_indices else values.squeeze(-2)


@composite(at="torch", name="adaptive_max_pool1d")
def torch_adaptive_max_pool1d(input: Tensor, output_size: Any) -> Any:
    """``torch.adaptive_max_pool1d``, which returns indices too."""
    return adaptive_max_pool1d(input, output_size, True)


for dims, function in ((1, adaptive_max_pool1d), (2, adaptive_max_pool2d), (3, adaptive_max_pool3d)):
    composite(at="functional", name=f"adaptive_max_pool{dims}d_with_indices")(
        lambda input, output_size, return_indices=True, function=function: function(input, output_size, True)
    )
