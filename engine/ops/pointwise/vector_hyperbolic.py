"""float32 ``eˣ − 1`` and the hyperbolic functions as PyTorch's vector code computes them, to the last bit.

SLEEF (Shibata and Petrogalli 2020) builds them all on one exponential that is held in two floats: reduction by ln 2, a polynomial
whose leading terms are in two floats, the others in one. float64 stands for two floats here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.pointwise.precision import fused_polynomial
from engine.ops.pointwise.vector_exp import INVERSE_LN2, LN2_HIGH, LN2_LOW, whole_power

f, wide = np.float32, np.float64
ONE, HALF = f(1), f(0.5)
COEFFICIENTS = f(0.1394256484e-2), f(0.8333456703e-2), f(0.4166637361e-1)
FIRST_COEFFICIENT = f(0.1980960224e-3)
SIXTH = wide(f(0.166666659414234244790680580464))
OVERFLOW, ALL_LOST = f(88.72283172607421875), f(-16.635532333438687)
"""Beyond them ``eˣ − 1`` is infinite, and −1."""
TOO_LARGE, FLAT = f(89), f(8.664339742)
"""From there sinh and cosh are infinite, and tanh is 1."""


def power_less_one(x: Any) -> Any:
    """``eˣ − 1`` in float64, as exactly as SLEEF has it: of small x without the rounding error of ``1 + x``."""
    quotient = np.rint(x * INVERSE_LN2)
    multiple = quotient.astype(wide)
    rest = x - multiple * LN2_HIGH - multiple * LN2_LOW
    tail = rest * fused_polynomial(rest.astype(f), FIRST_COEFFICIENT, COEFFICIENTS) + SIXTH
    more = rest + rest * rest * (rest * tail + 0.5)
    power = whole_power(quotient)
    return np.where(power == 0, more, np.ldexp(1 + more, power) - 1)


def vector_expm1(x: Any) -> Any:
    """``eˣ − 1``."""
    result = np.where(x < ALL_LOST, -ONE, power_less_one(x).astype(f))
    return np.where(x > OVERFLOW, f(np.inf), np.where(x == 0, x, result))


def vector_sinh(x: Any) -> Any:
    """``(eˣ − e⁻ˣ) / 2``."""
    more = power_less_one(np.abs(x))
    return np.copysign(halved(x, more + more / (1 + more)), x)


def vector_cosh(x: Any) -> Any:
    """``(eˣ + e⁻ˣ) / 2``."""
    power = 1 + power_less_one(np.abs(x))
    return halved(x, power + 1 / power)


def halved(x: Any, doubled: Any) -> Any:
    """Half of it, infinite for large x."""
    return np.where(np.abs(x) > TOO_LARGE, f(np.inf), doubled.astype(f) * HALF)


def vector_tanh(x: Any) -> Any:
    """``(eˣ − e⁻ˣ) / (eˣ + e⁻ˣ)``."""
    more = power_less_one(np.abs(x))
    less = 1 / (1 + more)
    ratio = ((more + more * less) / (1 + more + less)).astype(f)
    return np.copysign(np.where(np.abs(x) > FLAT, ONE, ratio), x)
