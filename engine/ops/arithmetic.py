"""+ − × ÷ and powers."""

from __future__ import annotations

import operator as python
from typing import Any

import numpy as np

from engine.ops.declare import composite, pointwise
from engine.ops.lanes import binary_lane
from engine.tensor import Tensor


@pointwise(
    formula="x + α·y",
    self=lambda grad: grad,
    other=lambda grad, alpha: grad if alpha == 1 else grad * alpha,
)
def add(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Adds element by element and hands the gradient to both sides unchanged."""
    return self + other if alpha == 1 else self + alpha * other


@pointwise(
    formula="x − α·y",
    aliases="subtract",
    self=lambda grad: grad,
    other=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha,
)
def sub(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Subtracts element by element; the gradient goes on unchanged to the left and with its sign flipped to the right."""
    forbid_bool("Subtraction, the `-` operator,", self, other)
    return self - other if alpha == 1 else self - alpha * other


@pointwise(
    formula="x · y",
    aliases="multiply",
    self=lambda grad, other: grad * other,
    other=lambda grad, self: grad * self,
)
def mul(self: Any, other: Any) -> Any:
    """Multiplies element by element; each factor's slope is the other factor."""
    return self * other


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
    """Divides element by element; a small divisor makes a large slope."""
    return np.true_divide(self, other) if isinstance(other, int | float) and not other else self / other


@pointwise(formula="−x", slope=lambda: -1, aliases="negative")
def neg(self: Any) -> Any:
    """Flips the sign of every element, and of every gradient."""
    if self.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the "
            "`~` or `logical_not()` operator instead."
        )
    return -self


def forbid_bool(what: str, *arrays: Any) -> None:
    """PyTorch refuses arithmetic minus between booleans."""
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


@composite(aliases="true_divide")
def div(self: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Divides; ``rounding_mode`` rounds toward zero (``trunc``) or down (``floor``)."""
    if rounding_mode is None:
        return true_div(self, other)  # type: ignore[no-any-return]
    raise NotImplementedError("div with rounding_mode")


add_lane, sub_lane = binary_lane(add, python.add), binary_lane(sub, python.sub)
mul_lane, div_lane = binary_lane(mul, python.mul), binary_lane(true_div, python.truediv, floats_only=True)

Tensor.__add__ = Tensor.__radd__ = add_lane  # type: ignore[method-assign,assignment]
Tensor.__mul__ = Tensor.__rmul__ = mul_lane  # type: ignore[method-assign,assignment]
Tensor.__sub__ = sub_lane  # type: ignore[method-assign,assignment]
Tensor.__truediv__ = div_lane  # type: ignore[method-assign,assignment]
Tensor.__neg__ = Tensor.neg
Tensor.__pos__ = lambda self: self  # type: ignore[attr-defined]
