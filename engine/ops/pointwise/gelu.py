"""gelu, whose float32 numbers and slopes are oneDNN's on an AVX2 processor, to the last bit.

PyTorch hands contiguous tensors of more than one number to oneDNN, whose AVX2 kernel takes the error function from Abramowitz
and Stegun's formula 7.1.26 (``erf x = 1 − (a₁t + … + a₅t⁵) · e^(−x²)``, ``t = 1 / (1 + px)``) and the exponential from a
polynomial of degree 5, all in fused multiply-adds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import pointwise
from engine.ops.core.on_arrays import takes_arrays
from engine.ops.pointwise.precision import fused, fused_polynomial, in_double, in_float
from engine.ops.pointwise.trigonometry import elementwise_tanh
from engine.tensor import Tensor

f = np.float32
HALF, ONE = f(0.5), f(1)
ROOT_HALF, INVERSE_ROOT_PI = f(0.707106769), f(0.564189553)
LOG2_E, LN2 = f(1.44269502), f(0.693147182)
LOWEST, HIGHEST = f(-87.3365478515625), f(88.7228394)
"""Between them lie the exponents whose power is a normal number."""
POWER_COEFFICIENTS = f(0.0418978221), f(0.166676521), f(0.499991506), f(0.999999701), ONE
FIRST_POWER_COEFFICIENT = f(0.00828929059)
BETA, KAPPA = math.sqrt(2 / math.pi), 0.044715
"""Of the tanh that approximates gelu."""
PLACE = f(0.3275911)
ERF_COEFFICIENTS = f(-1.453152027), f(1.421413741), f(-0.284496736), f(0.254829592)
FIRST_ERF_COEFFICIENT = f(1.061405429)


def takes_gelu(x: Any) -> bool:
    """Whether PyTorch leaves the array to oneDNN."""
    return bool(x.ndim and x.size > 1 and x.dtype.itemsize < 8 and x.flags.c_contiguous)


def vector_gelu(x: Any) -> Any:
    """``x · Φ(x)``."""
    half = x * HALF
    return fused(error_function(x * ROOT_HALF)[0], half, half)


def vector_gelu_slope(x: Any) -> Any:
    """``Φ(x) + x·φ(x)``."""
    place = x * ROOT_HALF
    erf, bell = error_function(place)
    return fused(erf, HALF, place * INVERSE_ROOT_PI * bell + HALF)


def error_function(x: Any) -> tuple[Any, Any]:
    """``erf x`` and ``e^(−x²)``."""
    bell = power(-(x * x))
    t = ONE / fused(np.abs(x), PLACE, ONE)
    series = fused_polynomial(t, FIRST_ERF_COEFFICIENT, ERF_COEFFICIENTS)
    return np.copysign(fused(-bell * t, series, ONE), x), bell


def power(x: Any) -> Any:
    """``eˣ``, zero where it would be no normal number."""
    inside = np.fmax(np.fmin(x, HIGHEST), LOWEST)
    quotient = np.floor(inside * LOG2_E + HALF)
    rest = fused(-quotient, LN2, inside)
    result = np.ldexp(fused_polynomial(rest, FIRST_POWER_COEFFICIENT, POWER_COEFFICIENTS), quotient.astype(np.int32))
    return np.where(x < LOWEST, f(0), result)


def normal_cdf(x: Any) -> Any:
    """Φ(x), the share of a standard normal distribution below x."""
    from scipy.special import ndtr

    return ndtr(x)


def gelu_backward(grad: Tensor, self: Tensor, approximate: str) -> Tensor:
    """``(Φ(x) + x·φ(x)) · grad``, or the same of tanh's approximation."""
    if approximate == "none":
        below = 0.5 * (1 + (self * math.sqrt(0.5)).erf())
        density = (self * self * -0.5).exp() * (1 / math.sqrt(2 * math.pi))
        return grad * (below + self * density)
    inner = (BETA * (self + KAPPA * self * self * self)).tanh()
    left = 0.5 * (1 + inner)
    right = 0.5 * self * (1 - inner * inner) * (BETA * (1 + 3 * KAPPA * self * self))
    return grad * (left + right)


@pointwise(
    formula="x · Φ(x)",
    at="functional",
    inplace=False,
    saves="approximate self",
    self=lambda grad, self, approximate: gelu_backward(grad, self, approximate),
)
def gelu(self: Any, *, approximate: str = "none") -> Any:
    """Gives x times the chance that a standard normal number is below it (or tanh's likeness of that); far from zero its
    slope is that of relu.

    Raises:
        NotImplementedError: for whole and complex numbers.
        RuntimeError: for an approximation that is neither none nor tanh.
    """
    if self.dtype.kind not in "fV":
        raise NotImplementedError(f"\"GeluKernelImpl\" not implemented for '{scalar_type(self)}'")
    if approximate == "none":
        return in_float(vector_gelu, self) if takes_gelu(self) else in_double(lambda x: x * normal_cdf(x), self)
    if approximate != "tanh":
        raise RuntimeError("approximate argument must be either none or tanh.")

    def compute(x: Any) -> Any:
        kind = x.dtype.type
        inner = kind(BETA) * fused(x * x * x, kind(KAPPA), x)
        return kind(0.5) * x * (1 + elementwise_tanh(inner))

    return in_float(compute, self)


@takes_arrays
def gelu_rounded(grad: Any, self: Any, approximate: str) -> Any:
    """``(Φ(x) + x·φ(x)) · grad``, or the same of tanh's approximation, on arrays."""

    def exact(g: Any, x: Any) -> Any:
        return g * (normal_cdf(x) + x * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi))

    def by_tanh(g: Any, x: Any) -> Any:
        kind = x.dtype.type
        square = x * x
        bent = elementwise_tanh(kind(BETA) * fused(square * x, kind(KAPPA), x))
        left = kind(0.5) * x
        slope = kind(BETA) * fused(kind(3) * kind(KAPPA), square, kind(1))
        return g * (kind(0.5) * (1 + bent) + left * fused(-bent, bent, kind(1)) * slope)

    if approximate == "none" and takes_gelu(self):
        return in_float(lambda g, x: g * vector_gelu_slope(x), grad, self)
    return in_double(exact, grad, self) if approximate == "none" else in_float(by_tanh, grad, self)


gelu.bare = {"self": lambda grad, self, approximate: gelu_rounded(grad, self, approximate)}
