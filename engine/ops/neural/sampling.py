"""Sampling an image at arbitrary places (spatial transformers, Jaderberg et al. 2015)."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.core.handed_on import require_kind
from engine.ops.neural.pixels import (
    BICUBIC,
    MODES,
    NEAREST,
    OFFSETS,
    PADDINGS,
    brought_inside,
    cubic_slopes,
    cubic_weights,
    in_pixels,
    pixel_number,
    product,
)
from engine.ops.neural.recorded_sampling import slopes_in_steps
from engine.ops.neural.second_order import derived_again
from engine.ops.neural.windows import Sizes
from engine.tensor import Tensor


class Sampler:
    """Which pixels each place reads, with which weights, and how the weights change with the place.

    Args:
        shape: spatial sizes of the input.
        grid: places (N, *out, D), last coordinate first dimension, in −1 … 1.
    """

    def __init__(self, shape: Sizes, grid: Any, mode: int, padding: int, align_corners: bool) -> None:
        self.shape, self.padding, self.align_corners, self.mode = shape, padding, align_corners, mode
        self.taps: list[list[tuple[Any, Any, Any]]] = []
        for d, size in enumerate(shape):
            pixels, factor = in_pixels(grid[..., len(shape) - 1 - d], size, align_corners)
            self.taps.append(self._taps(pixels, factor, size))

    def _taps(self, pixels: Any, factor: float, size: int) -> list[tuple[Any, Any, Any]]:
        """(index, weight, slope of the weight) along one dimension; index −1 reads zero."""
        if self.mode == BICUBIC:
            low = np.floor(pixels)
            places = [brought_inside(low + offset, size, self.padding, self.align_corners)[0] for offset in OFFSETS]
            weights, slopes = cubic_weights(pixels - low), cubic_slopes(pixels - low)
            return [(pixel_number(p, size), w, s * factor) for p, w, s in zip(places, weights, slopes, strict=True)]
        pixels, slope = brought_inside(pixels, size, self.padding, self.align_corners)
        if self.mode == NEAREST:
            return [(pixel_number(np.rint(pixels), size), np.ones_like(pixels), np.zeros_like(pixels))]
        low = np.floor(pixels)
        part = pixels - low
        return [
            (pixel_number(low, size), 1 - part, -slope * factor),
            (pixel_number(low + 1, size), part, slope * factor),
        ]

    def corners(self) -> Any:
        """All combinations of taps: (flat index, inside, weights by dimension, slopes by dimension)."""
        for combination in itertools.product(*self.taps):
            flat = np.zeros_like(combination[0][0])
            inside = np.ones(flat.shape, bool)
            for (index, _, _), size in zip(combination, self.shape, strict=True):
                flat = flat * size + np.maximum(index, 0)
                inside &= index >= 0
            yield flat, inside, [tap[1] for tap in combination], [tap[2] for tap in combination]


def sampled(input: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    """(N, C, *in) read at (N, *out, D) → (N, C, *out)."""
    batch, channels = input.shape[:2]
    flat = input.reshape(batch, channels, -1)
    out = np.zeros((batch, channels, *grid.shape[1:-1]), input.dtype)
    for index, inside, weights, _ in Sampler(input.shape[2:], grid, mode, padding, align_corners).corners():
        values = np.take_along_axis(flat, index.reshape(batch, 1, -1), 2).reshape(out.shape)
        out += values * np.where(inside, product(weights), 0)[:, None].astype(input.dtype)
    return out


def sampled_back(grad: Any, input: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> tuple[Any, Any]:
    """Gradients of the image and of the places."""
    batch, channels = input.shape[:2]
    area = int(np.prod(input.shape[2:]))
    flat = input.reshape(batch, channels, -1)
    to_input = np.zeros((batch, channels, area), input.dtype)
    to_grid = np.zeros(grid.shape, grid.dtype)
    dims = input.ndim - 2
    rows = np.arange(batch)[:, None, None], np.arange(channels)[None, :, None]
    for index, inside, weights, slopes in Sampler(input.shape[2:], grid, mode, padding, align_corners).corners():
        weight = np.where(inside, product(weights), 0)[:, None]
        places = index.reshape(batch, 1, -1)
        np.add.at(
            to_input,
            (*rows, np.broadcast_to(places, (batch, channels, places.shape[2]))),
            (grad * weight).reshape(batch, channels, -1).astype(input.dtype),
        )
        seen = np.take_along_axis(flat, places, 2).reshape(grad.shape)
        pull = (grad * seen).sum(1)
        for d in range(dims):
            change = product([slopes[e] if e == d else weights[e] for e in range(dims)])
            to_grid[..., dims - 1 - d] += np.where(inside, pull * change, 0).astype(grid.dtype)
    return to_input.reshape(input.shape), to_grid


def grid_sampler(dims: int) -> Any:
    """Declares ``grid_sampler_2d`` or ``…_3d`` with its gradient."""

    @operator(
        at="internal",
        name=f"grid_sampler_{dims}d_backward",
        outputs="result0 result1",
        undefined_gradients=True,
        differentiable="grad_output input grid",
        joint=lambda grads, grad_output, input, grid, interpolation_mode, padding_mode, align_corners: derived_again(
            lambda g, x, places: slopes_in_steps(g, x, places, interpolation_mode, padding_mode, align_corners),
            [grad_output, input, grid],
            grads,
        ),
    )
    def back(
        grad_output: Any, input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
    ) -> Any:
        """The derivative of the function that its name begins with, as an operation of its own."""
        return sampled_back(grad_output, input, grid, interpolation_mode, padding_mode, align_corners)

    @operator(
        at="torch",
        name=f"grid_sampler_{dims}d",
        formula="x at the places of the grid",
        saves="align_corners grid input interpolation_mode padding_mode",
        differentiable="input grid",
        joint=lambda grad, input, grid, interpolation_mode, padding_mode, align_corners: back(
            grad, input, grid, interpolation_mode, padding_mode, align_corners
        ),
    )
    def forward(input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Any:
        """Reads the image at any places between pixels; a pixel gets the gradient of what it was read for, by the same
        weights.
        """
        return sampled(input, grid, interpolation_mode, padding_mode, align_corners)

    return forward


SAMPLERS = {4: grid_sampler(2), 5: grid_sampler(3)}


def corners_aligned(chosen: bool | None) -> bool:
    """Whether −1 and 1 are the centres of the outermost pixels; PyTorch warns whoever leaves it to the default."""
    if chosen is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
            "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.",
            stacklevel=4,
        )
    return bool(chosen)


@composite(at="functional")
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """(N, C, H, W) read at grid (N, H', W', 2), whose (x, y) run from −1 to 1 → (N, C, H', W').

    Raises:
        ValueError: an unknown mode or padding mode.
        RuntimeError: shapes that do not go together.
    """
    if mode not in MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is not None:
        require_kind(align_corners, "bool", "grid_sampler", "align_corners", 5)
    align_corners = corners_aligned(align_corners)
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if grid.shape[-1] != input.ndim - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.ndim - 2} in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    if input.ndim not in SAMPLERS or input.ndim != grid.ndim:
        raise RuntimeError(
            f"grid_sampler(): expected {4 if input.ndim == 4 else 5}D input and grid with same number of dimensions, "
            f"but got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if input.ndim == 5 and mode == "bicubic":
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.dtype is not grid.dtype and input.dtype.is_floating_point:
        raise RuntimeError(f"expected scalar type {scalar_type(input)} but found {scalar_type(grid)}")
    return SAMPLERS[input.ndim](input, grid, MODES[mode], PADDINGS[padding_mode], align_corners)
