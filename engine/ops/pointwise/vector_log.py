"""float32 logarithms as PyTorch's vector code computes them, to the last bit.

Its AVX2 kernels use SLEEF's ``logf`` (Shibata and Petrogalli 2020): ln x = e ln 2 + 2 artanh r with x = 2ᵉ m, m within
[0.75, 1.5) and r = (m − 1) / (m + 1); two floats hold the main terms, a polynomial in r² the rest of the series.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.pointwise.precision import fused

f = np.float32
ONE = f(1)
FOUR_THIRDS = f(1 / 0.75)
LN2 = float(f(0.69314718246459960938)) + float(f(-1.904654323148236017e-09))
"""The two floats that SLEEF adds."""
COEFFICIENTS = f(0.3996108174), f(0.6666694880)
FIRST_COEFFICIENT = f(0.3027294874)


def vector_log(x: Any) -> Any:
    """``ln x`` of positive normal float32 numbers as SLEEF's ``logf`` gives it; other dtypes through numpy."""
    if x.dtype != f:
        return np.log(x)
    exponent = np.frexp(x * FOUR_THIRDS)[1] - 1
    mantissa = np.ldexp(x, -exponent)
    ratio = (mantissa - ONE) * (ONE / (mantissa + ONE))
    square = ratio * ratio
    series = np.full_like(ratio, FIRST_COEFFICIENT)
    for coefficient in COEFFICIENTS:
        series = fused(series, square, coefficient)
    wide = mantissa.astype(np.float64)
    main = exponent * LN2 + 2 * ((wide - 1) / (wide + 1))
    return (main + square * ratio * series).astype(f)
