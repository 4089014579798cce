"""Convolutions of float32 and their gradients, rounded as oneDNN's AVX2 kernels round.

Each adds product after product, fused with its sum: the forward pass starts at the bias and takes eight input channels at a time,
among them one place of the filter after the other; so does the input's gradient with the output channels; the weight's gradient takes
one sample after the other, and one place of the output after the other.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.ops.neural.windows import Sizes, kernel_places, padded, windows

f, wide = np.float32, np.float64
CHANNELS_AT_ONCE = 8
MANY, MANY_STEPS = 1 << 17, 256
"""Products, and steps one after the other, from which on following the kernel takes longer than its last digit is worth."""
LARGE_INPUT, LARGE_BATCH = 20480, 16
"""Above them PyTorch hands over inputs of one sample, and filters of one place."""


def takes_rounding(
    arrays: tuple[Any, Any], shape: Sizes, weight: Sizes, stride: Sizes, dilation: Sizes, groups: int, out: Sizes
) -> bool:
    """Whether PyTorch leaves the convolution of an input and a weight of these shapes to oneDNN, and it is small enough."""
    one, other = arrays
    return (
        one.dtype == f
        and other.dtype == f
        and takes_sizes(tuple(shape), tuple(weight), tuple(stride), tuple(dilation), groups, tuple(out))
        and one.flags.c_contiguous
        and other.flags.c_contiguous
    )


@functools.lru_cache(maxsize=256)
def takes_sizes(shape: Sizes, weight: Sizes, stride: Sizes, dilation: Sizes, groups: int, out: Sizes) -> bool:
    """The same as far as sizes decide it; remembered, since programs convolve the same forms again and again."""
    kernel = weight[2:]
    if len(kernel) > 2 or groups != 1 or max(dilation) > 1:
        return False
    if not 0 < shape[0] * math.prod(weight) * math.prod(out) <= MANY:
        return False
    if math.prod(kernel) == 1 and max(stride) == 1 and shape[0] < LARGE_BATCH:
        return False
    return shape[0] > 1 or (len(kernel) == 2 and min(kernel) > 3) or math.prod(shape) > LARGE_INPUT


def convolved(input: Any, weight: Any, bias: Any, stride: Sizes, padding: Sizes, out: Sizes) -> Any:
    """Input (N, C, …) and weight (O, C, …) to (N, O, …)."""
    kernel = weight.shape[2:]
    seen = windows(padded(input, padding), kernel, stride, (1,) * len(kernel), out)
    columns = seen.reshape(*input.shape[:2], math.prod(kernel), 1, -1).astype(wide)
    filters = weight.reshape(*weight.shape[:2], -1, 1).astype(wide)
    total = np.empty((input.shape[0], weight.shape[0], columns.shape[-1]), f)
    total[...] = f(0) if bias is None else bias[:, None]
    products = np.empty_like(total, wide)
    for channel, place in in_order(input.shape[1], math.prod(kernel)):
        np.multiply(columns[:, channel, place], filters[:, channel, place], out=products)
        products += total
        total[...] = products
    return total.reshape(*total.shape[:2], *out)


def scattered(gradient: Any, weight: Any, shape: Sizes, stride: Sizes, padding: Sizes) -> Any:
    """Gradient (N, O, …) spread through the weight over an input of ``shape``."""
    kernel, out = weight.shape[2:], gradient.shape[2:]
    over, filters = gradient.astype(wide)[:, :, None], weight.astype(wide)
    total = np.zeros((*shape[:2], *(n + 2 * p for n, p in zip(shape[2:], padding, strict=True))), f)
    products = np.empty((*shape[:2], *out), wide)
    places = kernel_places(kernel, stride, (1,) * len(kernel), out)
    for channel, number in in_order(weight.shape[0], len(places)):
        place, slices = places[number]
        factors = filters[(channel, slice(None), *place)].reshape(-1, *(1,) * len(kernel))
        reached = total[(..., *slices)]
        np.multiply(over[:, channel], factors, out=products)
        products += reached
        reached[...] = products
    inner = tuple(slice(p, p + n) for n, p in zip(shape[2:], padding, strict=True))
    return np.ascontiguousarray(total[(..., *inner)])


def met(gradient: Any, input: Any, shape: Sizes, stride: Sizes, padding: Sizes) -> Any:
    """Gradient (N, O, …) times the input under it: the gradient of a weight of ``shape``."""
    kernel, out = shape[2:], gradient.shape[2:]
    seen = windows(padded(input, padding), kernel, stride, (1,) * len(kernel), out)
    columns = seen.reshape(input.shape[0], 1, -1, math.prod(out)).astype(wide)
    over = gradient.reshape(*gradient.shape[:2], 1, -1).astype(wide)
    total = np.zeros((shape[0], columns.shape[2]), f)
    products = np.empty_like(total, wide)
    for slopes, numbers in zip(one_place_each(over), one_place_each(columns), strict=True):
        np.multiply(slopes, numbers, out=products)
        products += total
        total[...] = products
    return total.reshape(shape)


def one_place_each(samples: Any) -> Any:
    """(N, a, b, places) as (N · places, a, b)."""
    return np.moveaxis(samples, -1, 1).reshape(-1, *samples.shape[1:-1])


def in_order(channels: int, places: int) -> Iterator[tuple[int, int]]:
    """Channels and places of the filter in the order in which their products are added."""
    for first in range(0, channels, CHANNELS_AT_ONCE):
        together = range(first, min(first + CHANNELS_AT_ONCE, channels))
        for place, channel in itertools.product(range(places), together):
            yield channel, place
