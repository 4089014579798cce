"""Rounding and signs."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.float_limits import float_limits
from engine.ops.core.declare import operator, overloaded, pointwise
from engine.ops.core.refused_dtypes import floats_only, forbid_bool
from engine.ops.core.unimplemented import unimplemented
from engine.ops.pointwise.flat import zeros
from engine.ops.pointwise.no_order import forbid_complex
from engine.ops.pointwise.precision import in_double, magnitudes
from engine.tensor import Tensor


def whole(array: Any) -> bool:
    """Whether there is nothing to round."""
    return bool(array.dtype.kind in "biu")


@pointwise(formula="⌊x⌋", self=lambda grad: zeros(grad))
def floor(self: Any) -> Any:
    """Rounds down; between its steps it is flat, so the gradient is zero."""
    forbid_bool(self, "floor_vml_cpu")
    forbid_complex(self, "floor")
    return self if whole(self) else np.floor(self)


@pointwise(formula="⌈x⌉", self=lambda grad: zeros(grad))
def ceil(self: Any) -> Any:
    """Rounds up; between its steps it is flat, so the gradient is zero."""
    forbid_bool(self, "ceil_vml_cpu")
    forbid_complex(self, "ceil")
    return self if whole(self) else np.ceil(self)


@pointwise(formula="trunc x", self=lambda grad: zeros(grad), aliases="fix")
def trunc(self: Any) -> Any:
    """Drops the fraction; between its steps it is flat, so the gradient is zero."""
    forbid_bool(self, "trunc_vml_cpu")
    forbid_complex(self, "trunc")
    return self if whole(self) else np.trunc(self)


@pointwise(formula="x − trunc x", self=lambda grad: grad)
def frac(self: Any) -> Any:
    """The fraction alone; between its jumps it rises like x."""
    floats_only(self, "frac_cpu")
    return self - np.trunc(self)


@pointwise(formula="round x", name="round", at="internal", self=lambda grad: zeros(grad))
def round_whole(self: Any) -> Any:
    """Rounds to the nearest whole number, halves to the even one; flat in between, so the gradient is zero."""
    forbid_bool(self, "round_vml_cpu")
    return self if whole(self) else np.rint(self)


@pointwise(formula="round x", name="round", at="internal", grad_fn="RoundBackward1", self=lambda grad: zeros(grad))
def round_decimals(self: Any, decimals: int = 0) -> Any:
    """Rounds to so many decimals; flat in between, so the gradient is zero."""
    if whole(self):
        return self
    scale = self.dtype.type(10.0 ** (decimals if decimals >= 0 else -decimals))
    return np.rint(self * scale) / scale if decimals >= 0 else np.rint(self / scale) * scale


@overloaded(inplace=True, aliases="special.round")
def round(self: Any, *, decimals: int | None = None) -> Any:
    """Rounds to the nearest whole number, or to ``decimals``; halves go to the even neighbour."""
    return (round_whole, self) if decimals is None else (round_decimals, self, decimals)


@pointwise(formula="sign x", self=lambda grad: zeros(grad))
def sign(self: Any) -> Any:
    """−1, 0 or 1; flat everywhere but at zero, so the gradient is zero."""
    forbid_complex(self, "sign")
    if self.dtype.kind == "b":
        return self
    return np.where(np.isnan(self), self.dtype.type(0), np.sign(self))[()] if self.dtype.kind in "fV" else np.sign(self)


def sgn_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """Zero for real numbers; for complex ones only what turns the direction counts."""
    if not self.dtype.is_complex:
        return zeros(grad)
    share = (grad - (grad * result.conj()).real * result) / self.abs()
    return share.masked_fill(self == 0, 0)


@pointwise(
    formula="x / |x|",
    holomorphic=False,
    saves="result self",
    self=lambda grad, self, result: sgn_backward(grad, self, result),
)
def sgn(self: Any) -> Any:
    """The direction of a complex number, the sign of a real one; of a real number's sign the gradient is zero."""
    if self.dtype.kind != "c":
        return sign.kernel(self)
    size = magnitudes(self)
    return unit(self, np.where(size == 0, self.real.dtype.type(1), size))


def unit(array: Any, size: Any) -> Any:
    """Complex numbers over real ones, part by part."""
    result = np.array(array)
    result.real, result.imag = array.real / size, array.imag / size
    return result[()]


@pointwise(formula="|x|", aliases="absolute", holomorphic=False, self=lambda grad, self: grad * self.sgn())
def abs(self: Any) -> Any:
    """The distance from zero; the gradient takes x's sign, and at zero it is zero."""
    forbid_bool(self, "abs_cpu")
    return magnitudes(self)


@pointwise(formula="x < 0", inplace=False)
def signbit(self: Any) -> Any:
    """Whether the sign is minus, of −0.0 too. A yes or no has no slope.

    Raises:
        NotImplementedError: for complex numbers.
    """
    if whole(self):
        return np.less(self, 0)
    forbid_complex(self, "signbit")
    return np.signbit(self)


def copysign_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """The sign that was changed or kept, zero at zero."""
    return grad * (result / self).masked_fill(self == 0, 0)


@pointwise(
    formula="|x| · sign y",
    name="copysign",
    at="internal",
    to_float=True,
    saves="result self",
    self=lambda grad, self, result: copysign_backward(grad, self, result),
    other=lambda grad: zeros(grad),
)
def copysign_tensors(self: Any, other: Any) -> Any:
    """Gives x with y's sign; a flipped sign flips the gradient, and y's size does not matter."""
    return np.copysign(self, other)


@pointwise(
    formula="|x| · sign c",
    name="copysign",
    at="internal",
    grad_fn="CopysignBackward1",
    to_float=True,
    saves="result self",
    self=lambda grad, self, result: copysign_backward(grad, self, result),
)
def copysign_number(self: Any, other: Any) -> Any:
    """Gives x with a number's sign; a flipped sign flips the gradient."""
    return np.copysign(self, self.dtype.type(other))


@overloaded(inplace=True)
def copysign(self: Any, other: Any) -> Any:
    """``self`` with the sign of ``other``."""
    return (copysign_tensors if isinstance(other, Tensor) else copysign_number), self, other


@pointwise(
    needs_tensors="values",
    formula="0, y or 1 as x < 0, x = 0, x > 0",
    grad_fn="NotImplemented",
    promotes="",
    **unimplemented("heaviside", "self values"),
)
def heaviside(self: Any, values: Any) -> Any:
    """The step from 0 to 1, with ``values`` at the step. PyTorch gives it no derivative.

    Raises:
        RuntimeError: different dtypes.
    """
    if self.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return np.where(self == 0, values, np.where(self > 0, 1, 0)).astype(self.dtype)[()]


@pointwise(formula="x, without nan and ±∞", slope=lambda self: self.isfinite(), aliases="special.nan_to_num")
def nan_to_num(self: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    """Puts numbers for nan and the infinities; what was replaced gets no gradient."""
    if whole(self):
        return self
    limits = float_limits(self.dtype)
    high = limits.max if posinf is None else posinf
    low = limits.min if neginf is None else neginf
    if self.dtype.kind == "c":
        parts = [np.nan_to_num(p, nan=nan or 0.0, posinf=high, neginf=low) for p in (self.real, self.imag)]
        return (parts[0] + 1j * parts[1]).astype(self.dtype)
    number = self.dtype.type
    cleaned = np.where(np.isnan(self), number(nan or 0), self)
    cleaned = np.where(self == np.inf, number(high), cleaned)
    return np.where(self == -np.inf, number(low), cleaned)[()]


@operator(formula="x = m · 2ᵉ", outputs="mantissa exponent", self=lambda grads, exponent: grads[0] / exponent.exp2())
def frexp(self: Any) -> Any:
    """Splits into a fraction between ½ and 1 (or 0), and a power of two; the fraction's gradient is divided by that
    power.

    Raises:
        RuntimeError: no floats.
    """
    if self.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(self.astype(np.float32) if self.dtype.itemsize == 2 else self)
    return mantissa.astype(self.dtype), exponent.astype(np.int32)


@pointwise(
    needs_tensors="other",
    formula="x · 2ʸ",
    to_float=True,
    self=lambda grad, other: grad * 2.0**other,
    other=lambda grad, result: grad * result * 0.6931471805599453,
)
def ldexp(self: Any, other: Any) -> Any:
    """Gives x times two to the power y; the gradient is multiplied by that power."""
    return in_double(lambda x, y: x * np.power(2.0, y), self, other)


@pointwise(
    needs_tensors="other",
    formula="the float next to x on the way to y",
    self=lambda grad, self, other: grad.where(self != other, 0),
    other=lambda grad: zeros(grad),
)
def nextafter(self: Any, other: Any) -> Any:
    """The nearest representable number on the way to y."""
    return np.nextafter(self, other)
