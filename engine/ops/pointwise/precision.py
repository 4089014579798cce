"""How exactly kernels compute: float32 (and narrower) in float64, rounded once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

DOUBLE = np.dtype(np.float64)


def in_double(function: Callable[..., Any], *arrays: Any) -> Any:
    """``function`` of the arrays, computed in double precision and rounded once to their dtype.

    PyTorch's vector code is within one unit of the last place; this comes closest to it without being it. For complex numbers of any
    precision it calls the C library, and so does numpy.
    """
    first = arrays[0]
    if first.dtype.kind == "c" or first.dtype.itemsize == 8:
        return function(*arrays)
    return function(*[x.astype(np.float64) if hasattr(x, "astype") else x for x in arrays]).astype(first.dtype)


def fused(a: Any, b: Any, c: Any) -> Any:
    """``a · b + c`` as PyTorch's kernels compute it: rounded once, as compilers fuse it (float64 holds a float32 product)."""
    if c.dtype.char == "f":
        return fused_unrounded(a, b, c).astype(np.float32)
    return fused_in_double(a, b, c) if c.dtype.char == "d" else a * b + c


def fused_unrounded(a: Any, b: Any, c: Any) -> Any:
    """The same of float32, still in float64: who stores it rounds it."""
    return _widened(a) * _widened(b) + c.astype(DOUBLE)


def fused_in_double(a: Any, b: Any, c: Any) -> Any:
    """The same in float64: the product with its rounding error (Dekker 1971), the sum with its (Knuth, TwoSum)."""
    rounded = a * b
    total = rounded + c
    shift = total - rounded
    lost = (rounded - (total - shift)) + (c - shift)
    return np.where(np.isfinite(total), total + (lost + _product_error(a, b, rounded)), total)


def _product_error(a: Any, b: Any, rounded: Any) -> Any:
    """What rounding took from ``a · b``: each factor is split into two halves, whose products are exact (Veltkamp)."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return a_low * b_low - (((rounded - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _halves(x: Any) -> tuple[Any, Any]:
    """A double as the sum of two of 26 bits."""
    scaled = x * np.float64(2**27 + 1)
    high = scaled - (scaled - x)
    return high, x - high


def fused_polynomial(x: Any, first: Any, coefficients: Iterable[Any]) -> Any:
    """Horner's scheme, each step fused; ``first`` is the coefficient of the highest power."""
    if x.dtype.char == "f":
        wide, result = x.astype(DOUBLE), first
        for coefficient in coefficients:
            result = (result * wide + coefficient).astype(np.float32)
        return result
    result = np.full_like(x, first)
    for coefficient in coefficients:
        result = fused(result, x, coefficient)
    return result


def _widened(x: Any) -> Any:
    """A float32 array, or a number that becomes one, in double precision: numpy is quickest with operands of one dtype."""
    if hasattr(x, "astype"):
        return x.astype(DOUBLE)
    return _widened_number(x) if x else np.float64(x)  # of zeros the cache would know one sign only


@functools.lru_cache(256)
def _widened_number(x: Any) -> Any:
    """A number, which a step size often is, as an array: numpy multiplies by that twice as fast."""
    return np.array(np.float32(x), DOUBLE)


def magnitudes(array: Any) -> Any:
    """``|x|``; of complex numbers with one rounding, which numpy's own absolute does not give."""
    return np.hypot(array.real, array.imag) if array.dtype.kind == "c" else np.abs(array)


def is_half(operand: Any) -> bool:
    """Whether it is an array (or numpy scalar) of float16 or bfloat16."""
    return hasattr(operand, "dtype") and operand.dtype.itemsize == 2 and operand.dtype.kind in "fV"


def in_float(function: Callable[..., Any], *arrays: Any) -> Any:
    """``function`` with half-precision arrays computed in float32, as PyTorch does; others as they are."""
    first = arrays[0]
    if not is_half(first):
        return function(*arrays)
    return function(*[x.astype(np.float32) if hasattr(x, "astype") else x for x in arrays]).astype(first.dtype)
