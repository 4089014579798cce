"""float32 powers as PyTorch's vector code computes them, to the last bit.

SLEEF's ``powf`` (Shibata and Petrogalli 2020) is ``exp(y · ln |x|)`` with the logarithm and the product in two floats; float64
stands for two floats here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.pointwise.precision import fused_polynomial, in_double
from engine.ops.pointwise.vector_exp import INVERSE_LN2, LN2_HIGH, LN2_LOW, whole_power
from engine.ops.pointwise.vector_log import FOUR_THIRDS, LN2

f, wide = np.float32, np.float64
TWO_THIRDS = float(f(0.66666662693023681640625)) + float(f(3.69183861259614332084311e-09))
LOG_COEFFICIENTS = f(0.285112679004669189453125), f(0.400007992982864379882812)
FIRST_LOG_COEFFICIENT = f(0.240320354700088500976562)
COEFFICIENTS = (
    f(0.00836596917361021041870117), f(0.0416710823774337768554688), f(0.166665524244308471679688), f(0.499999850988388061523438),
)  # fmt: skip
FIRST_COEFFICIENT = f(0.00136324646882712841033936)
SMALLEST = f(2.0**-126)
LARGEST_LOG = 87
"""Up to it, both ways, powers are normal numbers."""


def vector_pow(base: Any, exponent: Any) -> Any:
    """``xʸ`` of float32 numbers; what is beyond the ordinary (zero, infinite, no number) is rightly rounded."""
    size = np.abs(base)
    inside = (size >= SMALLEST) & (size < np.inf) & (np.abs(exponent) < np.inf)
    total = logarithm(size if inside.all() else np.where(inside, size, f(1))) * exponent
    ordinary = inside & (np.abs(total) < LARGEST_LOG)
    if not ordinary.all():
        total, near = np.where(ordinary, total, 0.0), in_double(np.power, base, exponent)
        return np.where(ordinary, with_sign(exponential(total), base, exponent), near)
    return with_sign(exponential(total), base, exponent)


def with_sign(result: Any, base: Any, exponent: Any) -> Any:
    """Negative for an odd power of a negative number; of that, powers that are not whole are no numbers."""
    if base.min() >= 0:
        return result
    odd, whole = np.mod(exponent, 2) == 1, exponent == np.rint(exponent)
    return np.where(base < 0, np.where(odd, -result, np.where(whole, result, f(np.nan))), result)


def logarithm(x: Any) -> Any:
    """``ln x`` in two floats."""
    exponent = np.frexp(x * FOUR_THIRDS)[1] - 1
    mantissa = np.ldexp(x, -exponent).astype(wide)
    ratio = (mantissa - 1) / (mantissa + 1)
    square = ratio * ratio
    series = fused_polynomial(square.astype(f), FIRST_LOG_COEFFICIENT, LOG_COEFFICIENTS)
    return exponent * LN2 + 2 * ratio + square * ratio * (square * series + TWO_THIRDS)


def exponential(x: Any) -> Any:
    """``eˣ`` of two floats."""
    quotient = np.rint(x.astype(f) * INVERSE_LN2)
    multiple = quotient.astype(wide)
    rest = x - multiple * LN2_HIGH - multiple * LN2_LOW
    series = fused_polynomial(rest.astype(f), FIRST_COEFFICIENT, COEFFICIENTS)
    return np.ldexp(1 + (rest + rest * rest * series), whole_power(quotient)).astype(f)
