"""Sampling an image at arbitrary places (spatial transformers, Jaderberg et al. 2015)."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.core.handed_on import require_kind
from engine.ops.neural.interpolation import CUBIC
from engine.ops.neural.second_order import derived_again, replayed
from engine.ops.neural.windows import Sizes
from engine.tensor import Tensor, wrap

BILINEAR, NEAREST, BICUBIC = range(3)
MODES = {"bilinear": BILINEAR, "nearest": NEAREST, "bicubic": BICUBIC}
ZEROS, BORDER, REFLECTION = range(3)
PADDINGS = {"zeros": ZEROS, "border": BORDER, "reflection": REFLECTION}


def in_pixels(places: Any, size: int, align_corners: bool) -> tuple[Any, float]:
    """From −1 … 1 to pixels, and the factor between them."""
    factor = (size - 1) / 2 if align_corners else size / 2
    return ((places + 1) * factor if align_corners else ((places + 1) * size - 1) / 2), factor


def brought_inside(pixels: Any, size: int, padding: int, align_corners: bool) -> tuple[Any, Any]:
    """Pixels after border or reflection, and the slope of that."""
    slope = np.ones_like(pixels)
    if padding == REFLECTION:
        low, high = (0.0, 2.0 * (size - 1)) if align_corners else (-1.0, 2.0 * size - 1)
        low, span = low / 2, (high - low) / 2
        if span == 0:
            return np.zeros_like(pixels), np.zeros_like(pixels)
        shifted = pixels - low
        slope = np.where(shifted < 0, -1.0, 1.0)
        shifted = np.abs(shifted)
        extra, flips = np.fmod(shifted, span), np.floor(shifted / span).astype(np.int64)
        even = flips % 2 == 0
        pixels = np.where(even, extra + low, span - extra + low)
        slope = np.where(even, slope, -slope)
    if padding in (BORDER, REFLECTION):
        slope = np.where((pixels <= 0) | (pixels >= size - 1), 0, slope)
        pixels = np.clip(pixels, 0, size - 1)
    return pixels, slope


def cubic_weights(part: Any) -> tuple[list[Any], list[Any]]:
    """Weights of the four nearest pixels at distance ``part`` from the second, and their slopes."""
    weights, slopes = [], []
    for offset in (-1, 0, 1, 2):
        x = np.abs(part - offset)
        sign = np.where(part - offset < 0, -1.0, 1.0)
        near = ((CUBIC + 2) * x - (CUBIC + 3)) * x * x + 1
        far = ((CUBIC * x - 5 * CUBIC) * x + 8 * CUBIC) * x - 4 * CUBIC
        near_slope = (3 * (CUBIC + 2) * x - 2 * (CUBIC + 3)) * x
        far_slope = (3 * CUBIC * x - 10 * CUBIC) * x + 8 * CUBIC
        inner = offset in (0, 1)
        weights.append(near if inner else far)
        slopes.append((near_slope if inner else far_slope) * sign)
    return weights, slopes


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
            weights, slopes = cubic_weights(pixels - low)
            places = [
                brought_inside(low + offset, size, self.padding, self.align_corners)[0] for offset in (-1, 0, 1, 2)
            ]
            return [(self._index(p, size), w, s * factor) for p, w, s in zip(places, weights, slopes, strict=True)]
        pixels, slope = brought_inside(pixels, size, self.padding, self.align_corners)
        if self.mode == NEAREST:
            return [(self._index(np.rint(pixels), size), np.ones_like(pixels), np.zeros_like(pixels))]
        low = np.floor(pixels)
        part = pixels - low
        return [
            (self._index(low, size), 1 - part, -slope * factor),
            (self._index(low + 1, size), part, slope * factor),
        ]

    @staticmethod
    def _index(place: Any, size: int) -> Any:
        safe = np.nan_to_num(place, nan=-1, posinf=-1, neginf=-1)
        return np.where((safe >= 0) & (safe < size), safe, -1).astype(np.int64)

    def corners(self) -> Any:
        """All combinations of taps: (flat index, inside, weights by dimension, slopes by dimension)."""
        for combination in itertools.product(*self.taps):
            flat = np.zeros_like(combination[0][0])
            inside = np.ones(flat.shape, bool)
            for (index, _, _), size in zip(combination, self.shape, strict=True):
                flat = flat * size + np.maximum(index, 0)
                inside &= index >= 0
            yield flat, inside, [tap[1] for tap in combination], [tap[2] for tap in combination]


def product(factors: list[Any]) -> Any:
    """All factors multiplied."""
    total = factors[0]
    for factor in factors[1:]:
        total = total * factor
    return total


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


def sampled_in_steps(input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Tensor:
    """`sampled` in recorded operators. What jumps (which pixels are read) is constant; what slides is recorded."""
    shape = tuple(input.shape[2:])
    batch, channels = input.shape[:2]
    flat, out = input.flatten(2), tuple(grid.shape[1:-1])
    taps: list[list[tuple[Any, Tensor]]] = []
    for d, size in enumerate(shape):
        raw, _ = in_pixels(grid.select(-1, len(shape) - 1 - d), size, align_corners)
        taps.append(tensor_taps(raw, size, mode, padding, align_corners))
    total: Any = 0
    for combination in itertools.product(*taps):
        index = np.zeros((batch, *out), np.int64)
        inside = np.ones(index.shape, bool)
        for (place, _), size in zip(combination, shape, strict=True):
            index = index * size + np.maximum(place, 0)
            inside &= place >= 0
        places = np.ascontiguousarray(np.broadcast_to(index.reshape(batch, 1, -1), (batch, channels, index[0].size)))
        seen = flat.gather(2, wrap(places)).view(batch, channels, *out)
        weights = [weight.unsqueeze(1) for _, weight in combination]
        total = total + product([seen * wrap(inside[:, None].astype(input._array.dtype)), *weights])
    return total


def slopes_in_steps(grad: Tensor, input: Tensor, grid: Tensor, *options: Any) -> list[Any]:
    """`sampled_back` in recorded operators: the gradients of the image and of the places."""
    return replayed(lambda x, places: [sampled_in_steps(x, places, *options)], [input, grid], [grad])


def tensor_taps(raw: Tensor, size: int, mode: int, padding: int, align_corners: bool) -> list[tuple[Any, Tensor]]:
    """(index, recorded weight) along one dimension."""
    dtype = raw._array.dtype
    if mode == BICUBIC:
        low = np.floor(raw._array)
        weights = cubic_weights_of(raw - wrap(low))
        places = [brought_inside(low + o, size, padding, align_corners)[0] for o in (-1, 0, 1, 2)]
        return [(Sampler._index(place, size), weight) for place, weight in zip(places, weights, strict=True)]
    pixels, slope = brought_inside(raw._array, size, padding, align_corners)
    if mode == NEAREST:
        return [(Sampler._index(np.rint(pixels), size), raw * 0 + 1)]  # flat in the places, but not independent
    low = np.floor(pixels)
    part = raw * wrap(slope.astype(dtype)) + wrap((pixels - slope * raw._array - low).astype(dtype))
    return [(Sampler._index(low, size), 1 - part), (Sampler._index(low + 1, size), part)]


def cubic_weights_of(part: Tensor) -> list[Tensor]:
    """`cubic_weights` as recorded operators."""
    weights = []
    for offset in (-1, 0, 1, 2):
        x = (part - offset).abs()
        if offset in (0, 1):
            weights.append(((CUBIC + 2) * x - (CUBIC + 3)) * x * x + 1)
        else:
            weights.append(((CUBIC * x - 5 * CUBIC) * x + 8 * CUBIC) * x - 4 * CUBIC)
    return weights


def grid_sampler(dims: int) -> Any:
    """Declares ``grid_sampler_2d`` or ``…_3d`` with its gradient."""

    @operator(
        at="internal",
        name=f"grid_sampler_{dims}d_backward",
        grad_fn=f"GridSampler{dims}DBackwardBackward0",
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
        grad_fn=f"GridSampler{dims}DBackward0",
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
