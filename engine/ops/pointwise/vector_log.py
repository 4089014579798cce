"""float32 logarithms as PyTorch's vector code computes them, to the last bit.

Its AVX2 kernels use SLEEF's ``logf`` and ``log1pf`` (Shibata and Petrogalli 2020): ln x = e ln 2 + 2 artanh r with x = 2ᵉ m, m
within [0.75, 1.5) and r = (m − 1) / (m + 1); two floats hold the main terms, a polynomial in r² the rest of the series.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.pointwise.precision import fused_polynomial

f = np.float32
ONE, TWO = f(1), f(2)
FOUR_THIRDS = f(1 / 0.75)
LN2 = float(f(0.69314718246459960938)) + float(f(-1.904654323148236017e-09))
"""The two floats that SLEEF adds."""
COEFFICIENTS = f(0.3996108174), f(0.6666694880)
FIRST_COEFFICIENT = f(0.3027294874)
LARGEST = f(1e38)
"""From there on SLEEF takes care of what would overflow."""


def vector_log(x: Any) -> Any:
    """``ln x`` of positive normal float32 numbers as SLEEF's ``logf`` gives it; other dtypes through numpy."""
    if x.dtype != f:
        return np.log(x)
    exponent = np.frexp(x * FOUR_THIRDS)[1] - 1
    mantissa = np.ldexp(x, -exponent)
    wide = mantissa.astype(np.float64)
    ratio = (mantissa - ONE) * (ONE / (mantissa + ONE))
    return series(exponent, ratio, (wide - 1) / (wide + 1))


def vector_log1p(x: Any) -> Any:
    """``ln(1 + x)`` of float32 numbers as SLEEF's ``log1pf`` gives it; zero, and what has no finite logarithm, through numpy."""
    if not (x.size and x.min() > -1 and x.max() < LARGEST and x.all()):
        inside = (x > -1) & (x < LARGEST) & (x != 0)
        return np.where(inside, vector_log1p(np.where(inside, x, ONE)), np.log1p(x)) if inside.any() else np.log1p(x)
    exponent = np.frexp((x + ONE) * FOUR_THIRDS)[1] - 1
    scale = np.ldexp(ONE, -exponent)
    more = x * scale + (scale - ONE)
    wide = more.astype(np.float64)
    return series(exponent, more * (ONE / (TWO + more)), wide / (2 + wide))


def series(exponent: Any, ratio: Any, exact: Any) -> Any:
    """``e ln 2 + 2 artanh r``, of which ``ratio`` is rounded as the kernels round it."""
    square = ratio * ratio
    rest = fused_polynomial(square, FIRST_COEFFICIENT, COEFFICIENTS)
    return (exponent * LN2 + 2 * exact + square * ratio * rest).astype(f)
