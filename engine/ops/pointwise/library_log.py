"""float32 ``ln x`` as ``torch.log`` gives it, to the last bit.

PyTorch leaves logarithms of whole tensors, of any length, to Intel's vector library. What it computes is x = 2ᵏ · m with m
within [2/3, 4/3), and ``ln(1 + r) = r + r²·p(r)`` for r = m − 1 with a polynomial of degree 8, without fused multiply-adds. That,
and the coefficients, was told from its results: of two million random numbers some forty differ from them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.pointwise.precision import in_double

f, i = np.float32, np.int32
ONE = f(1)
BITS_OF_TWO_THIRDS = i(0x3F2AAAAB)
"""Of the number where the mantissas begin."""
TWO_THIRDS = float(BITS_OF_TWO_THIRDS.view(f))
MANTISSA, MANTISSA_BITS = i(0x007FFFFF), 23
LN2_HIGH, LN2_LOW = f(0.693145751953125), f(1.428606765330187045e-06)
COEFFICIENTS = (
    f(0.13984427), f(-0.121842936), f(0.14005871), f(-0.16680487), f(0.20010406), f(-0.24999797), f(0.33333215), f(-0.5),
)  # fmt: skip
FIRST_COEFFICIENT = f(-0.12891527)
SMALLEST = 2.0**-126


def library_log(x: Any) -> Any:
    """``ln x`` of float32 numbers; of other dtypes, and of what is not positive, normal and finite, rightly rounded."""
    if x.dtype != f:
        return in_double(np.log, x)
    if not x.ndim:
        number = float(x)
        return of_parts(*parts_of_number(number)) if SMALLEST <= number < math.inf else in_double(np.log, x)[()]
    ordinary = (x >= SMALLEST) & (x < np.inf)
    if not ordinary.all():
        return np.where(ordinary, library_log(np.where(ordinary, x, ONE)), in_double(np.log, x))
    place = x.view(i) - BITS_OF_TWO_THIRDS
    mantissa = ((place & MANTISSA) + BITS_OF_TWO_THIRDS).view(f)
    return of_parts(mantissa - ONE, (place >> MANTISSA_BITS).astype(f))


def parts_of_number(x: float) -> tuple[Any, Any]:
    """The mantissa less one, and the exponent."""
    mantissa, exponent = math.frexp(x)
    return (f(mantissa - 1), f(exponent)) if mantissa >= TWO_THIRDS else (f(2 * mantissa - 1), f(exponent - 1))


def of_parts(rest: Any, exponent: Any) -> Any:
    """``ln(1 + rest) + exponent · ln 2``."""
    series = FIRST_COEFFICIENT * rest
    for coefficient in COEFFICIENTS:
        series += coefficient
        series *= rest
    series *= rest
    series += rest
    series += exponent * LN2_LOW
    series += exponent * LN2_HIGH
    return series
