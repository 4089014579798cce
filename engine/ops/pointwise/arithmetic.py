"""+ − × ÷ on numbers of any kind."""

from __future__ import annotations

import operator as python
from typing import Any

import numpy as np

from engine.ops.core.declare import operator, overloaded, pointwise
from engine.ops.core.lanes import REAL, binary_lane
from engine.ops.core.promotion import Promotion
from engine.ops.core.signature import Number
from engine.ops.pointwise.complex_product import product as complex_product
from engine.ops.pointwise.factors import FactorPromotion, rounded
from engine.ops.pointwise.precision import fused, is_half
from engine.tensor import Tensor


@pointwise(
    formula="x + α·y",
    needs_tensors="any",
    self=lambda grad: grad,
    other=lambda grad, alpha: grad if alpha == 1 else grad * alpha,
)
def add(self: Any, other: Any, *, alpha: Number = 1) -> Any:
    """Adds element by element; both sides get the gradient unchanged, unless ``alpha`` scales the second."""
    return self + other if type(alpha) is int and alpha == 1 else plus_times(self, other, alpha)


@pointwise(
    formula="x − α·y",
    needs_tensors="any",
    aliases="subtract",
    self=lambda grad: grad,
    other=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha,
)
def sub(self: Any, other: Any, *, alpha: Number = 1) -> Any:
    """Subtracts element by element; the left side gets the gradient unchanged, the right with its sign flipped (and
    scaled by ``alpha``, if given).
    """
    return self - other if type(alpha) is int and alpha == 1 else minus_times(self, other, alpha)


@pointwise(
    formula="α·y − x",
    name="rsub",
    at="internal",
    inplace=False,
    self=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha,
    other=lambda grad: grad,
)
def rsub_tensor(self: Any, other: Any, *, alpha: Number = 1) -> Any:
    """Subtracts the first from the second; the first one's gradient has its sign flipped."""
    return other - self if alpha == 1 else minus_times(other, self, alpha)


@pointwise(
    formula="c − α·x",
    name="rsub",
    grad_fn="RsubBackward1",
    at="internal",
    inplace=False,
    self=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha,
)
def rsub_number(self: Any, other: Any, alpha: Number = 1) -> Any:
    """Subtracts x from a number; x's gradient has its sign flipped."""
    return other - self if alpha == 1 else minus_times(other, self, alpha)


@overloaded(at="torch")
def rsub(self: Any, other: Any, *, alpha: Number = 1) -> Any:
    """``other − self``."""
    forbid_bool("Subtraction, the `-` operator,", self._array, getattr(other, "_array", other))
    return (rsub_tensor if isinstance(other, Tensor) else rsub_number), self, other, alpha


@pointwise(
    formula="x · y",
    needs_tensors="any",
    aliases="multiply",
    self=lambda grad, other: grad * other,
    other=lambda grad, self: grad * self,
)
def mul(self: Any, other: Any) -> Any:
    """Multiplies element by element; each factor's slope is the other factor."""
    return complex_product(self, other) if is_complex(self) or is_complex(other) else rounded(self * other, self)


@operator(
    formula="c · x",
    at="internal",
    name="mul",
    grad_fn="MulBackward1",
    holomorphic=True,
    promotes="self other",
    self=lambda grad, other: grad * other,
)
def mul_number(self: Any, other: Any) -> Any:
    """Multiplies by a number; the number is the slope."""
    return complex_product(self, other) if is_complex(self) or is_complex(other) else rounded(self * other, self)


@operator(
    formula="x + c", at="internal", name="add", grad_fn="AddBackward1", promotes="self other", self=lambda grad: grad
)
def add_number(self: Any, other: Any) -> Any:
    """Adds a number; the gradient goes on unchanged."""
    return self + other


@operator(
    formula="x − c", at="internal", name="sub", grad_fn="SubBackward1", promotes="self other", self=lambda grad: grad
)
def sub_number(self: Any, other: Any) -> Any:
    """Takes a number away; the gradient goes on unchanged."""
    return self - other


def is_complex(operand: Any) -> bool:
    """Whether it is an array (or numpy scalar) of complex numbers."""
    return hasattr(operand, "dtype") and operand.dtype.kind == "c"


add.number_twin, sub.number_twin, mul.number_twin = add_number, sub_number, mul_number


@pointwise(formula="−x", slope=lambda: -1, aliases="negative")
def neg(self: Any) -> Any:
    """Flips the sign of every element, and of every gradient.

    Raises:
        RuntimeError: booleans.
    """
    if self.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead."
        )
    return -self


@overloaded(at="torch tensor")
def positive(self: Any) -> Any:
    """Itself.

    Raises:
        RuntimeError: for booleans.
    """
    if self._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return (lambda same: same), self


def plus_times(start: Any, array: Any, alpha: Any) -> Any:
    """``start + alpha · array``, fused where both are arrays of one real type.

    Raises:
        RuntimeError: as `times`.
    """
    check_factor(alpha, start, array)
    if type(alpha) is int and is_truth(start) and is_truth(array):
        return start + array  # to PyTorch any whole number is as good as True here, even 0
    if is_half(start) or is_half(array):
        return added_wide(start, array, alpha)
    if hasattr(start, "dtype") and hasattr(array, "dtype") and start.dtype.char == array.dtype.char in ("f", "d"):
        return fused(array, alpha, start)
    return start + array * alpha


def added_wide(start: Any, array: Any, alpha: Any) -> Any:
    """``start + alpha · array`` of halves, numbers and alpha being halves too.

    PyTorch's vector code takes `AT_ONCE` elements at a time and rounds their sum once; what is left over rounds the product, too.
    """
    kind = (start if is_half(start) else array).dtype
    one, other, factor = (np.asarray(each).astype(kind).astype(np.float32) for each in (start, array, alpha))
    result = one + (other * factor).astype(kind).astype(np.float32)
    lined_up = one.shape == other.shape and one.flags.c_contiguous and other.flags.c_contiguous
    if lined_up or one.size == 1 or other.size == 1:
        whole = result.size // AT_ONCE * AT_ONCE
        in_vectors = (np.arange(result.size) < whole).reshape(result.shape)
        result = np.where(in_vectors, fused(other, factor, one), result)
    return result.astype(kind)[()]


AT_ONCE = 32
"""Halves that a loop of PyTorch's over AVX2 vectors takes at a time."""


def is_truth(operand: Any) -> bool:
    """Whether it is a boolean, or an array of them."""
    return operand.dtype.kind == "b" if hasattr(operand, "dtype") else type(operand) is bool


def minus_times(start: Any, array: Any, alpha: Any) -> Any:
    """``start − alpha · array``, as `plus_times`."""
    check_factor(alpha, start, array)
    return plus_times(start, array, -alpha)


def times(array: Any, alpha: Any, beside: Any) -> Any:
    """``alpha · array``, to be taken from ``beside``.

    Raises:
        RuntimeError: as `check_factor`.
    """
    check_factor(alpha, array, beside)
    return array * alpha


def check_factor(alpha: Any, *operands: Any) -> None:
    """Whether ``alpha`` may be a factor where the operands' common dtype has to be kept.

    Raises:
        RuntimeError: a fractional alpha for whole numbers, a complex one for real numbers, or True for anything but booleans.
    """
    for operand in operands:
        if hasattr(operand, "dtype"):
            break
    kind = operand.dtype.kind
    if kind == "f" and type(alpha) is float:
        return  # the usual case
    if isinstance(alpha, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if kind in "biu" and isinstance(alpha, float):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and kind != "c":
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


def forbid_bool(what: str, *arrays: Any) -> None:
    """PyTorch refuses arithmetic minus between booleans.

    Raises:
        RuntimeError: a boolean among the operands.
    """
    kinds = [a.dtype.kind if hasattr(a, "dtype") else "b" if isinstance(a, bool) else "" for a in arrays]
    if kinds == ["b", "b"]:
        raise RuntimeError(
            f"{what} with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead."
        )
    if "b" in kinds:
        raise RuntimeError(
            f"{what} with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
            "`logical_not()` operator instead."
        )


class MinusPromotion(Promotion):
    """Refuses booleans before anything becomes of them."""

    __slots__ = ()

    def apply(self, arrays: list[Any]) -> None:
        """As `Promotion`.

        Raises:
            RuntimeError: for a boolean tensor or number.
        """
        forbid_bool("Subtraction, the `-` operator,", *[arrays[position] for position in self.positions])
        super().apply(arrays)


for _minus in (sub, rsub_tensor, rsub_number):
    _minus.promotion = MinusPromotion(_minus.promotion.positions)
for _factor in (mul, mul_number):
    _factor.promotion = FactorPromotion(_factor.promotion.positions)

add_lane, sub_lane, mul_lane = (
    binary_lane(add, python.add),
    binary_lane(sub, python.sub),
    binary_lane(mul, python.mul, REAL),
)

Tensor.__add__ = Tensor.__radd__ = add_lane
Tensor.__mul__ = Tensor.__rmul__ = mul_lane
Tensor.__sub__ = sub_lane
Tensor.__neg__ = neg.short
