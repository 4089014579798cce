"""Sampling in recorded operators, for second derivatives: what jumps (which pixels are read) is constant, what slides is recorded."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from engine.ops.neural.pixels import (
    BICUBIC,
    NEAREST,
    OFFSETS,
    brought_inside,
    cubic_weights,
    in_pixels,
    pixel_number,
    product,
)
from engine.ops.neural.second_order import replayed
from engine.tensor import Tensor, wrap


def sampled_in_steps(input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Tensor:
    """Images (N, C, *in) read at places (N, *out, D) → (N, C, *out), as the kernel reads them."""
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
    """The gradients of the image and of the places, with a graph of their own."""
    return replayed(lambda x, places: [sampled_in_steps(x, places, *options)], [input, grid], [grad])


def tensor_taps(raw: Tensor, size: int, mode: int, padding: int, align_corners: bool) -> list[tuple[Any, Tensor]]:
    """(index, recorded weight) along one dimension."""
    dtype = raw._array.dtype
    if mode == BICUBIC:
        low = np.floor(raw._array)
        weights = cubic_weights(raw - wrap(low))
        places = [brought_inside(low + offset, size, padding, align_corners)[0] for offset in OFFSETS]
        return [(pixel_number(place, size), weight) for place, weight in zip(places, weights, strict=True)]
    pixels, slope = brought_inside(raw._array, size, padding, align_corners)
    if mode == NEAREST:
        return [(pixel_number(np.rint(pixels), size), raw * 0 + 1)]  # flat in the places, but not independent
    low = np.floor(pixels)
    part = raw * wrap(slope.astype(dtype)) + wrap((pixels - slope * raw._array - low).astype(dtype))
    return [(pixel_number(low, size), 1 - part), (pixel_number(low + 1, size), part)]
