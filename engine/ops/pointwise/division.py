"""Division and what is left over."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import operator, overloaded, pointwise
from engine.ops.core.lanes import FLOATS, binary_lane
from engine.ops.core.unimplemented import unimplemented
from engine.ops.pointwise.complex_quotient import quotient
from engine.ops.pointwise.factors import FactorPromotion, rounded
from engine.ops.pointwise.flat import zeros
from engine.ops.pointwise.precision import in_float
from engine.tensor import Tensor


@pointwise(
    formula="x ÷ y",
    name="div",
    to_float=True,
    at="internal",
    inplace=False,
    self=lambda grad, other: grad / other,
    other=lambda grad, other, self: -grad * ((self / other) / other),
)
def true_div(self: Any, other: Any) -> Any:
    """Divides element by element; the dividend's gradient is divided by the divisor, and the divisor's slope is minus the
    quotient over the divisor.
    """
    if self.dtype.kind == "c" if hasattr(self, "dtype") else other.dtype.kind == "c":
        return quotient(self, other)
    by_zero = isinstance(other, int | float) and not other
    return rounded(np.true_divide(self, other) if by_zero else self / other, self)


@operator(
    formula="x ÷ c",
    at="internal",
    name="div",
    grad_fn="DivBackward1",
    promotes="self other",
    to_float=True,
    self=lambda grad, other: div_number(grad, other),
    holomorphic=True,
)
def div_number(self: Any, other: Any) -> Any:
    """Divides by a number; the gradient is divided by it too."""
    if self.dtype.kind == "c":
        return quotient(self, other)
    return rounded(self / other, self)


@pointwise(
    formula="⌊x ÷ y⌋",
    name="div",
    grad_fn="DivBackward2",
    at="internal",
    saves="other rounding_mode self",
    self=lambda grad, other, rounding_mode: rounded_slope(grad, other, rounding_mode),
    other=lambda grad, self, other, rounding_mode: rounded_slope(-grad * (self / other), other, rounding_mode),
)
def rounded_div(self: Any, other: Any, *, rounding_mode: str | None) -> Any:
    """Divides and rounds, down or toward zero; between two steps it is flat, so the gradient is zero."""
    if rounding_mode is None:
        return rounded(self / other, self)
    return rounded((floor_quotient if rounding_mode == "floor" else trunc_quotient)(self, other), self)


def rounded_slope(grad: Tensor, other: Any, rounding_mode: str | None) -> Tensor:
    """The gradient divided on, or nothing if the quotient is rounded."""
    return grad / other if rounding_mode is None else zeros(grad)


NOT_GIVEN: Any = object()


@overloaded(aliases="true_divide divide", inplace=True, needs_tensors="any")
def div(self: Any, other: Any, *, rounding_mode: str | None = NOT_GIVEN) -> Any:
    """Divides; ``rounding_mode`` rounds toward zero (``trunc``) or down (``floor``).

    Raises:
        RuntimeError: an unknown rounding mode.
    """
    if rounding_mode is NOT_GIVEN:
        return true_div, self, other
    if rounding_mode not in (None, "floor", "trunc"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return rounded_div, self, other, rounding_mode


@pointwise(
    formula="⌊x ÷ y⌋",
    name="floor_divide",
    at="internal",
    grad_fn="NotImplemented",
    **unimplemented("floor_divide", "self other"),
)
def floor_divide_tensors(self: Any, other: Any) -> Any:
    """Divides and rounds down. PyTorch gives it no derivative."""
    return rounded(floor_quotient(self, other), self)


@pointwise(
    formula="⌊x ÷ c⌋",
    name="floor_divide",
    at="internal",
    grad_fn="NotImplemented",
    **unimplemented("floor_divide", "self"),
)
def floor_divide_number(self: Any, other: Any) -> Any:
    """Divides and rounds down. PyTorch gives it no derivative."""
    return rounded(floor_quotient(self, other), self)


@overloaded(inplace=True, needs_tensors="any")
def floor_divide(self: Any, other: Any) -> Any:
    """Divides and rounds down; no gradient passes."""
    return (floor_divide_tensors if isinstance(other, Tensor) else floor_divide_number), self, other


def remainder_of(array: Any, divisor: Any) -> Any:
    """What is left of a division that rounds down; nothing left has the sign of what was divided."""
    left = np.remainder(array, divisor)
    if left.dtype.kind not in "fV":
        return left
    return in_float(lambda rest: np.where(rest == 0, np.copysign(rest, np.asarray(array, rest.dtype)), rest)[()], left)


@pointwise(
    formula="x − y·⌊x ÷ y⌋",
    name="remainder",
    grad_fn="RemainderBackward1",
    at="internal",
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * self.div(other, rounding_mode="floor"),
)
def remainder_tensors(self: Any, other: Any) -> Any:
    """What is left after dividing, with the divisor's sign; x's slope is one, the divisor's minus the whole times it
    went in.
    """
    forbid_zero(self, other)
    return remainder_of(self, other)


@pointwise(formula="x − c·⌊x ÷ c⌋", name="remainder", at="internal", self=lambda grad: grad)
def remainder_number(self: Any, other: Any) -> Any:
    """What is left after dividing by a number, with its sign; the slope is one between the jumps."""
    forbid_zero(self, other)
    return remainder_of(self, other)


@pointwise(
    name="remainder",
    at="internal",
    grad_fn="NotImplemented",
    formula="c − y·⌊c ÷ y⌋",
    promotes="self other",
    **unimplemented("remainder", "other"),
)
def remainder_of_number(self: Any, other: Any) -> Any:
    """What is left of a number after dividing. PyTorch gives it no derivative."""
    forbid_zero(self, other)
    return remainder_of(self, other)


@overloaded(inplace=True, needs_tensors="any")
def remainder(self: Any, other: Any) -> Any:
    """What is left after dividing, with the divisor's sign (as Python's ``%``)."""
    if not isinstance(self, Tensor):
        return remainder_of_number, self, other
    return (remainder_tensors if isinstance(other, Tensor) else remainder_number), self, other


@pointwise(
    formula="x − y·trunc(x ÷ y)",
    name="fmod",
    grad_fn="FmodBackward1",
    at="internal",
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * self.div(other, rounding_mode="trunc"),
)
def fmod_tensors(self: Any, other: Any) -> Any:
    """What is left after dividing, with the dividend's sign; x's slope is one, the divisor's minus the whole times it
    went in.
    """
    forbid_zero(self, other)
    return np.fmod(self, other)


@pointwise(formula="x − c·trunc(x ÷ c)", name="fmod", at="internal", self=lambda grad: grad)
def fmod_number(self: Any, other: Any) -> Any:
    """What is left after dividing by a number, with x's own sign; the slope is one between the jumps."""
    forbid_zero(self, other)
    return np.fmod(self, other)


@overloaded(inplace=True)
def fmod(self: Any, other: Any) -> Any:
    """What is left after dividing, with the dividend's sign (as C's ``fmod``)."""
    return (fmod_tensors if isinstance(other, Tensor) else fmod_number), self, other


def forbid_zero(self: Any, other: Any) -> None:
    """Whole numbers have no infinity to give.

    Raises:
        RuntimeError: ``ZeroDivisionError``, as PyTorch says it.
    """
    if (
        np.asarray(self).dtype.kind in "biu"
        and np.asarray(other).dtype.kind in "biu"
        and np.any(np.asarray(other) == 0)
    ):
        raise RuntimeError("ZeroDivisionError")


def floor_quotient(self: Any, other: Any) -> Any:
    """``⌊x ÷ y⌋`` exactly, as Python computes it; dividing a float by zero gives what ``÷`` gives."""
    forbid_zero(self, other)
    if np.asarray(self).dtype.kind in "biu" and np.asarray(other).dtype.kind in "biu":
        return np.floor_divide(self, other)
    return np.where(np.equal(other, 0), np.true_divide(self, other), np.floor_divide(self, other))[()]


def trunc_quotient(self: Any, other: Any) -> Any:
    """``x ÷ y`` without its fraction."""
    forbid_zero(self, other)
    if np.asarray(self).dtype.kind not in "biu" or np.asarray(other).dtype.kind not in "biu":
        return np.trunc(np.true_divide(self, other))
    down = np.floor_divide(self, other)
    return down + ((down < 0) & (down * other != self)).astype(down.dtype)


def reflected_div(self: Tensor, other: Any) -> Tensor:
    """``other / self``, which PyTorch composes of a reciprocal and a product."""
    return self.reciprocal() * other


true_div.number_twin = div_number
for _quotient in (true_div, div_number, rounded_div, floor_divide_tensors, floor_divide_number):
    _quotient.promotion = FactorPromotion(_quotient.promotion.positions, _quotient.promotion.to_float)

Tensor.__truediv__ = binary_lane(true_div, lambda x, y: x / y, FLOATS)
Tensor.__rtruediv__ = reflected_div
