"""Products of complex numbers, rounded as PyTorch's AVX2 kernels round them.

Four products make one, and z · z̄ is real only if they are rounded alike. Vectors multiply, then add. What fills no vector goes
through a loop that the compiler fuses (``a · b + c`` rounded once): of single precision two numbers at a time, so that the last
of an odd count is not fused; of double precision all. numpy fuses everywhere, or nowhere, as the processor can.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.pointwise.precision import fused, fused_in_double

SINGLE = np.dtype(np.complex64)
VECTORS = {"F": 8, "D": 4}
"""Complex numbers in the two vectors that a kernel takes at a time, by numpy's character."""
PEELED, FUSED = 1, 4
"""Beside a lone factor, of what is left of single precision: the first is not fused, four are, and the rest again not."""


def product(a: Any, b: Any, in_pairs: bool = True) -> Any:
    """``a · b``, either of which is a complex array (or numpy scalar), the other one too or a number.

    ``in_pairs``: what is left of single precision is fused in pairs; the kernel of powers fuses it all.
    """
    result = np.multiply(a, b)
    a, b = (np.asarray(factor, result.dtype) for factor in (a, b))
    if a.shape == b.shape and in_columns(a) and in_columns(b):
        return product(a.T, b.T, in_pairs).T
    result = np.asarray(result)
    result.real = a.real * b.real - a.imag * b.imag
    result.imag = a.real * b.imag + a.imag * b.real
    places = fused_places(a, b, result.shape, in_pairs)
    if len(places):
        left, right = (np.broadcast_to(factor, result.shape).flat[places] for factor in (a, b))
        part: Any = fused if result.dtype == SINGLE else fused_in_double
        left_over = np.empty(len(places), result.dtype)
        left_over.real = part(left.real, right.real, -(left.imag * right.imag))
        left_over.imag = part(left.real, right.imag, left.imag * right.real)
        result.flat[places] = left_over
    return result[()]


def in_columns(array: np.ndarray) -> bool:
    """Whether columns lie in memory one after the other, and rows do not."""
    return bool(array.flags.f_contiguous and not array.flags.c_contiguous)


def fused_places(a: np.ndarray, b: np.ndarray, shape: tuple[int, ...], in_pairs: bool) -> np.ndarray:
    """Which products are fused, by their number in row-major order."""
    lone = a.size == 1 or b.size == 1
    dense = lone or (a.shape == b.shape and a.flags.c_contiguous and b.flags.c_contiguous)
    count = int(np.prod(shape))
    left = count % VECTORS[a.dtype.char]
    first = count - left
    if a.dtype != SINGLE or not in_pairs:
        return np.arange(first if dense else 0, count)
    if lone:
        return np.arange(first + PEELED, first + PEELED + FUSED) if left >= PEELED + FUSED else np.arange(0)
    if dense:
        return np.arange(first, count - left % 2)
    length = shape[-1]
    numbers = np.arange(count)
    return numbers[numbers % length < length - length % 2]
