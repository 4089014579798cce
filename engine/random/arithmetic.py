"""Arithmetic with PyTorch's rounding: one-rounding multiply-add, the C library's functions, Cephes in float32.

numpy's own vectorised log, sin, … may differ from the C library in the last bit, and differ between machines; PyTorch
calls the C library one element at a time. So do we, through `math`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # importing torch should be quick
    from numpy.typing import ArrayLike

Float32 = np.ndarray[Any, np.dtype[np.float32]]
Float64 = np.ndarray[Any, np.dtype[np.float64]]


def from_c_library(function: Callable[[float], float]) -> Callable[[ArrayLike], Float64]:
    """``function`` on every element of a float64 array."""
    elementwise: Any = np.frompyfunc(function, 1, 1)

    def apply(values: ArrayLike) -> Float64:
        return np.asarray(elementwise(np.asarray(values, np.float64)), np.float64)

    return apply


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


log = from_c_library(_log)
log1p = from_c_library(math.log1p)
exp = from_c_library(_exp)
sin = from_c_library(math.sin)
cos = from_c_library(math.cos)
tan = from_c_library(math.tan)


def multiply_add_float32(a: Any, b: Any, c: Any) -> Float32:
    """a·b + c of float32 numbers, rounded once; the product of two float32 is exact in float64."""
    fused: Float32 = (np.multiply(a, b, dtype=np.float64) + c).astype(np.float32)
    return fused


def multiply_add_float64(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Float64:
    """a·b + c rounded once to float64, from the product's and the sum's exact errors (Dekker 1971, Knuth's two-sum)."""
    a, b, c = np.asarray(a, np.float64), np.asarray(b, np.float64), np.asarray(c, np.float64)
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    product_error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = product + c
    shadow = total - product
    total_error = (product - (total - shadow)) + (c - shadow)
    fused: Float64 = total + (total_error + product_error)
    return fused


def _halves(value: Float64) -> tuple[Float64, Float64]:
    """Veltkamp's splitting of a float64 into two numbers of at most 26 bits."""
    scaled = value * 134217729.0  # 2²⁷ + 1
    high = scaled - (scaled - value)
    return high, value - high


def _polynomial(x: Float32, *coefficients: float) -> Float32:
    """Horner's scheme, highest power first, each step one rounding."""
    value = np.full_like(x, np.float32(coefficients[0]))
    for coefficient in coefficients[1:]:
        value = multiply_add_float32(value, x, np.float32(coefficient))
    return value


def log_float32(x: Float32) -> Float32:
    """Natural logarithm of x > 0 by Cephes' ``logf``: x = m·2ᵉ, a polynomial in m − 1, e·ln 2 in two parts."""
    x = np.maximum(x, np.float32(1.17549435e-38))  # the smallest normal number
    bits = x.view(np.int32)
    exponent = ((bits >> 23) - 126).astype(np.float32)
    mantissa = ((bits & np.int32(0x007FFFFF)) | np.int32(0x3F000000)).view(np.float32)  # in [0.5, 1)
    below = mantissa < np.float32(0.707106781186547524)  # √½: keeps m − 1 near 0
    exponent = exponent - below.astype(np.float32)
    m = (mantissa - np.float32(1)) + np.where(below, mantissa, np.float32(0))
    square = m * m
    series = _polynomial(
        m,
        7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
        -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
    ) * m  # fmt: skip
    tail = multiply_add_float32(series, square, exponent * np.float32(-2.12194440e-4))
    tail = multiply_add_float32(square, np.float32(-0.5), tail)
    return multiply_add_float32(exponent, np.float32(0.693359375), m + tail)


def sin_cos_float32(x: Float32) -> tuple[Float32, Float32]:
    """Sine and cosine of x ≥ 0 by Cephes' ``sinf`` and ``cosf``: a multiple of π/4 off, then two polynomials."""
    octant = ((x * np.float32(1.27323954473516)).astype(np.int32) + 1) & ~1  # 4/π, made even
    count = octant.astype(np.float32)
    for part in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8):
        x = multiply_add_float32(count, np.float32(part), x)
    z = x * x
    cosine = _polynomial(z, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2) * z
    cosine = multiply_add_float32(cosine, z, -(z * np.float32(0.5))) + np.float32(1)
    sine = _polynomial(z, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1) * z
    sine = multiply_add_float32(sine, x, x)
    straight = (octant & 2) == 0
    sine, cosine = np.where(straight, sine, cosine), np.where(straight, cosine, sine)
    return np.where((octant & 4) != 0, -sine, sine), np.where(((octant - 2) & 4) == 0, -cosine, cosine)
