"""float32 exponentials as PyTorch's vector code computes them, to the last bit.

PyTorch's AVX2 kernels use SLEEF's ``expf`` (Shibata and Petrogalli 2020, "SLEEF: A Portable Vectorized Library of C Standard
Mathematical Functions"): reduction by ln 2 in two parts, a polynomial of degree 7, all in fused multiply-adds. Elementwise
loops take two vectors of eight at a time; what is left over goes through the C library's correctly rounded ``expf``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.pointwise.precision import fused, fused_polynomial

f = np.float32
INVERSE_LN2 = f(1.442695040888963407359924681001892137)
LN2_HIGH, LN2_LOW = f(0.693145751953125), f(1.428606765330187045e-06)
COEFFICIENTS = (
    f(0.00139304355252534151077271), f(0.00833336077630519866943359), f(0.0416664853692054748535156),
    f(0.166666671633720397949219), f(0.5),
)  # fmt: skip
FIRST_COEFFICIENT = f(0.000198527617612853646278381)
UNDERFLOW = f(-104)
AT_ONCE = 16
"""Numbers that an elementwise AVX2 loop takes at a time."""


def vector_exp(x: Any) -> Any:
    """``eˣ`` of float32 numbers as SLEEF's ``expf`` gives it; other dtypes through numpy."""
    if x.dtype != f:
        return np.exp(x)
    quotient = np.rint(x * INVERSE_LN2)
    rest = fused(quotient, -np.float64(LN2_LOW), fused(quotient, -np.float64(LN2_HIGH), x))
    result = f(1) + fused(rest * rest, fused_polynomial(rest, FIRST_COEFFICIENT, COEFFICIENTS), rest)
    power = np.nan_to_num(quotient, nan=0.0, posinf=200.0, neginf=-300.0).astype(np.int32)
    scaled = np.ldexp(result, power).astype(f)
    return np.where(x < UNDERFLOW, f(0), np.where(x == np.inf, f(np.inf), scaled))[()]


def elementwise(function: Callable[[Any, Callable[[Any], Any]], Any], x: Any) -> Any:
    """``function(x, exp)`` as an elementwise kernel runs it: whole blocks with the vector ``exp``, the rest with the exact one."""
    if x.dtype != f:
        return function(x, np.exp)
    flat = np.asarray(x).ravel(order="K")
    whole = flat.size // AT_ONCE * AT_ONCE
    exact = function(flat[whole:], lambda v: np.exp(v.astype(np.float64)).astype(f))
    result = np.concatenate([function(flat[:whole], vector_exp), exact]) if whole else exact
    if np.ndim(x) < 2 or x.flags.c_contiguous:
        return result.reshape(np.shape(x))[()]
    return function(x, vector_exp)
