"""Sliding windows over the spatial dimensions of (N, C, …) arrays, and the way back, for convolutions and pooling."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

Sizes = tuple[int, ...]


def tuples(*sizes: Any) -> tuple[Sizes, ...]:
    """Sizes as tuples, which can be joined and looked up: who calls an operator by its name in ``torch.ops`` gives lists."""
    return tuple(map(tuple, sizes))


def padded(array: np.ndarray, padding: Sequence[int], value: float = 0) -> np.ndarray:
    """``value`` around the last dimensions; more on the right than on the left where ``padding`` gives pairs."""
    pairs = [p if isinstance(p, tuple) else (p, p) for p in padding]
    if not any(map(any, pairs)):
        return array
    lead = array.ndim - len(pairs)
    shape = array.shape[:lead] + tuple(n + a + b for n, (a, b) in zip(array.shape[lead:], pairs, strict=True))
    result = np.full(shape, value, array.dtype) if value else np.zeros(shape, array.dtype)
    inner: Any = tuple(slice(a, a + n) for n, (a, _) in zip(array.shape[lead:], pairs, strict=True))
    result[(..., *inner)] = array
    return result


def output_sizes(sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Sizes:
    """How many windows fit, per dimension."""
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True)
    )


def windows(array: np.ndarray, kernel: Sizes, stride: Sizes, dilation: Sizes, out: Sizes) -> np.ndarray:
    """A view (N, C, *kernel, *out): element [.., k, o] is ``array[.., o · stride + k · dilation]``."""
    array = np.ascontiguousarray(array)  # what numpy asks of memory that is to be seen otherwise
    lead, steps = array.ndim - len(kernel), array.strides
    reach = [s * d for s, d in zip(steps[lead:], dilation, strict=True)]
    reach += [s * d for s, d in zip(steps[lead:], stride, strict=True)]
    return np.ndarray(array.shape[:lead] + kernel + out, array.dtype, array, 0, steps[:lead] + tuple(reach))


@functools.lru_cache(maxsize=256)
def kernel_places(
    kernel: Sizes, stride: Sizes, dilation: Sizes, out: Sizes
) -> tuple[tuple[Sizes, tuple[slice, ...]], ...]:
    """Each position in the kernel, with the slices of the padded array it meets over all windows.

    Remembered, since programs slide the same windows again and again.
    """
    return tuple(
        (
            place,
            tuple(
                slice(k * d, k * d + s * (o - 1) + 1, s)
                for k, d, s, o in zip(place, dilation, stride, out, strict=True)
            ),
        )
        for place in itertools.product(*map(range, kernel))
    )


def gathered_back(
    columns: np.ndarray, shape: Sizes, kernel: Sizes, stride: Sizes, padding: Sequence[int], dilation: Sizes
) -> np.ndarray:
    """Adds window contents (N, C, *kernel, *out) up where they came from; ``shape`` is the unpadded (N, C, …)."""
    dims = len(kernel)
    out = columns.shape[-dims:]
    lead = shape[:-dims]
    sizes = tuple([n + 2 * p for n, p in zip(shape[-dims:], padding, strict=True)])
    if 0 < columns.size <= FEW and columns.dtype.char in "fd":
        total = spread_and_summed(columns, lead, kernel, stride, sizes, dilation)
    else:
        total = np.zeros(lead + sizes, columns.dtype)
        every = (slice(None),) * len(lead)
        for place, slices in kernel_places(kernel, stride, dilation, out) if all(out) else ():
            reached = total[(..., *slices)]
            reached += columns[every + place]
    inner = tuple(slice(p, p + n) for n, p in zip(shape[-dims:], padding, strict=True))
    return np.ascontiguousarray(total[(..., *inner)]) if any(padding) else total  # people view gradients


FEW = 1 << 15
"""Contents of windows up to which one array with room for every place of the kernel is quicker than a turn for each place."""


def spread_and_summed(
    columns: np.ndarray, lead: Sizes, kernel: Sizes, stride: Sizes, sizes: Sizes, dilation: Sizes
) -> np.ndarray:
    """`gathered_back` before padding is cut off: every place of the kernel has an image of its own, then they add up in order."""
    spread = np.zeros(lead + kernel + sizes, columns.dtype)
    steps = spread.strides
    by_place, by_size = steps[len(lead) : -len(kernel)], steps[-len(kernel) :]
    to_places = [p + s * d for p, s, d in zip(by_place, by_size, dilation, strict=True)]
    to_windows = [s * d for s, d in zip(by_size, stride, strict=True)]
    where = np.ndarray(columns.shape, columns.dtype, spread, 0, (*steps[: len(lead)], *to_places, *to_windows))
    where[...] = columns
    return np.add.reduce(spread.reshape(*lead, -1, *sizes), len(lead)) + 0  # sums start from 0, not from −0
