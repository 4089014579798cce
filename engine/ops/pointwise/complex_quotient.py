"""Quotients of complex numbers and their powers, rounded as PyTorch's kernels round them.

Division is Smith's (1962): numerator and denominator are divided by the larger part of the divisor, each ``a · b + c`` rounded once,
and the denominator's reciprocal is multiplied with. Powers are C's ``cpow``: exp(y · ln x), whole exponents included.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.pointwise.precision import fused, fused_in_double


def quotient(a: Any, b: Any) -> Any:
    """``a / b``, at least one of which is a complex array (or numpy scalar), the other one too or a number."""
    kind = (
        np.result_type(a, b) if hasattr(a, "dtype") and hasattr(b, "dtype") else (a if hasattr(a, "dtype") else b).dtype
    )
    above, below = np.broadcast_arrays(np.asarray(a, kind), np.asarray(b, kind))
    real, imag = above.real, above.imag
    part: Any = fused if kind == np.complex64 else fused_in_double
    with np.errstate(all="ignore"):
        swapped = np.abs(below.real) < np.abs(below.imag)
        larger, smaller = np.where(swapped, below.imag, below.real), np.where(swapped, below.real, below.imag)
        ratio = smaller / larger
        scale = larger.dtype.type(1) / part(smaller, ratio, larger)
        result = np.empty(above.shape, kind)
        result.real = part(np.where(swapped, real, imag), ratio, np.where(swapped, imag, real)) * scale
        result.imag = part(np.where(swapped, imag, -real), ratio, np.where(swapped, -real, imag)) * scale
        nothing = larger == 0
        if nothing.any():
            result.real[nothing] = real[nothing] / np.abs(below.real[nothing])
            result.imag[nothing] = imag[nothing] / np.abs(below.imag[nothing])
    return result[()]


def complex_power(base: Any, exponent: Any) -> Any:
    """``base ** exponent`` of complex arrays (or numpy scalars) of one dtype."""
    with np.errstate(all="ignore"):
        logarithm = np.log(base)
        product = np.empty(np.broadcast_shapes(np.shape(base), np.shape(exponent)), logarithm.dtype)
        product.real = exponent.real * logarithm.real - exponent.imag * logarithm.imag
        product.imag = exponent.real * logarithm.imag + exponent.imag * logarithm.real
        return np.exp(product)[()]
