"""float32 exponentials as PyTorch's vector code computes them, to the last bit.

PyTorch's AVX2 kernels use SLEEF's ``expf`` (Shibata and Petrogalli 2020, "SLEEF: A Portable Vectorized Library of C Standard
Mathematical Functions"): reduction by ln 2 in two parts, a polynomial of degree 7, all in fused multiply-adds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.pointwise.blocks import in_blocks
from engine.ops.pointwise.precision import fused, fused_polynomial, in_double

f = np.float32
INVERSE_LN2 = f(1.442695040888963407359924681001892137)
LN2_HIGH, LN2_LOW = float(f(0.693145751953125)), float(f(1.428606765330187045e-06))
COEFFICIENTS = (
    f(0.00139304355252534151077271), f(0.00833336077630519866943359), f(0.0416664853692054748535156),
    f(0.166666671633720397949219), f(0.5),
)  # fmt: skip
FIRST_COEFFICIENT = f(0.000198527617612853646278381)
COEFFICIENTS_OF_TWO = (
    f(0.1339262701e-2), f(0.9618384764e-2), f(0.5550347269e-1), f(0.2402264476), f(0.6931471825), f(1),
)  # fmt: skip
FIRST_COEFFICIENT_OF_TWO = f(0.1535920892e-3)
UNDERFLOW, OVERFLOW = f(-104), f(100)
NORMAL = 126
"""Up to it, powers of two need no second look."""


def vector_exp(x: Any) -> Any:
    """``eˣ`` of float32 numbers as SLEEF's ``expf`` gives it; other dtypes through numpy."""
    if x.dtype != f:
        return np.exp(x)
    quotient = np.rint(x * INVERSE_LN2)
    wide = quotient.astype(np.float64)
    rest = (x - wide * LN2_HIGH).astype(f)
    rest = (rest - wide * LN2_LOW).astype(f)
    result = f(1) + fused(rest * rest, fused_polynomial(rest, FIRST_COEFFICIENT, COEFFICIENTS), rest)
    if x.size and np.abs(quotient).max() < NORMAL:
        return np.ldexp(result, quotient.astype(np.int32))
    scaled = np.ldexp(result, whole_power(quotient))
    return np.where(x < UNDERFLOW, f(0), np.where(x > OVERFLOW, f(np.inf), scaled))[()]


def vector_exp2(x: Any) -> Any:
    """``2ˣ`` of float32 numbers as SLEEF's ``exp2f`` gives it."""
    quotient = np.rint(x)
    result = fused_polynomial(x - quotient, FIRST_COEFFICIENT_OF_TWO, COEFFICIENTS_OF_TWO)
    if x.size and np.abs(quotient).max() < NORMAL:
        return np.ldexp(result, quotient.astype(np.int32))
    return np.where(np.isfinite(x), np.ldexp(result, whole_power(quotient)), np.exp2(x))


def whole_power(quotient: Any) -> Any:
    """A power of two as an integer, within what float32 can tell apart."""
    return np.nan_to_num(quotient, nan=0.0, posinf=300.0, neginf=-300.0).clip(-300, 300).astype(np.int32)


def single_exp(x: Any) -> Any:
    """``eˣ`` as the C library's ``expf`` gives it: rightly rounded."""
    return in_double(np.exp, x)


def elementwise(function: Callable[[Any, Callable[[Any], Any]], Any], x: Any) -> Any:
    """``function(x, exp)`` as an elementwise kernel runs it: whole blocks with the vector ``exp``, the rest with the exact one."""
    if x.dtype != f:
        return function(x, np.exp)
    return in_blocks(lambda v: function(v, vector_exp), lambda v: function(v, single_exp), x)
