"""Sliding windows over the spatial dimensions of (N, C, …) arrays, and the way back, for convolutions and pooling."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Sizes = tuple[int, ...]


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


def kernel_places(
    kernel: Sizes, stride: Sizes, dilation: Sizes, out: Sizes
) -> Iterator[tuple[Sizes, tuple[slice, ...]]]:
    """Each position in the kernel, with the slices of the padded array it meets over all windows."""
    for place in itertools.product(*map(range, kernel)):
        yield (
            place,
            tuple(
                slice(k * d, k * d + s * (o - 1) + 1, s)
                for k, d, s, o in zip(place, dilation, stride, out, strict=True)
            ),
        )


def gathered_back(
    columns: np.ndarray, shape: Sizes, kernel: Sizes, stride: Sizes, padding: Sequence[int], dilation: Sizes
) -> np.ndarray:
    """Adds window contents (N, C, *kernel, *out) up where they came from; ``shape`` is the unpadded (N, C, …)."""
    dims = len(kernel)
    out = columns.shape[-dims:]
    lead = shape[:-dims]
    total = np.zeros(lead + tuple(n + 2 * p for n, p in zip(shape[-dims:], padding, strict=True)), columns.dtype)
    if all(out):
        for place, slices in kernel_places(kernel, stride, dilation, out):
            total[(..., *slices)] += columns[(slice(None),) * len(lead) + place]
    inner = tuple(slice(p, p + n) for n, p in zip(shape[-dims:], padding, strict=True))
    return np.ascontiguousarray(total[(..., *inner)]) if any(padding) else total  # people view gradients
