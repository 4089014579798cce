"""Circular and hyperbolic functions."""

from __future__ import annotations

import math
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.late import Late
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import pointwise
from engine.ops.core.unimplemented import unimplemented
from engine.ops.pointwise.blocks import in_blocks
from engine.ops.pointwise.flat import constant
from engine.ops.pointwise.precision import in_double, in_float
from engine.ops.selection.masks import where
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.ops.pointwise import library_sine, single_functions, vector_hyperbolic
else:
    library_sine = Late("engine.ops.pointwise.library_sine")
    single_functions = Late("engine.ops.pointwise.single_functions")
    vector_hyperbolic = Late("engine.ops.pointwise.vector_hyperbolic")


@pointwise(formula="sin x", to_float=True, slope=lambda self: self.cos())
def sin(self: Any) -> Any:
    """The sine; its slope is the cosine."""
    return library_sine.library_sin(self)


@pointwise(formula="cos x", to_float=True, slope=lambda self: -self.sin())
def cos(self: Any) -> Any:
    """The cosine; its slope is minus the sine."""
    return library_sine.library_cos(self)


@pointwise(formula="tan x", to_float=True, slope=lambda result: 1 + result.pow(2))
def tan(self: Any) -> Any:
    """The tangent; its slope is one more than its square, steep where the cosine is near zero."""
    return in_double(np.tan, self)


@pointwise(formula="arcsin x", to_float=True, aliases="arcsin", slope=lambda self: (-self * self + 1).rsqrt())
def asin(self: Any) -> Any:
    """The angle whose sine is x; its slope is infinite at −1 and 1."""
    return in_double(np.arcsin, self)


@pointwise(formula="arccos x", to_float=True, aliases="arccos", slope=lambda self: -(-self * self + 1).rsqrt())
def acos(self: Any) -> Any:
    """The angle whose cosine is x; its slope is infinite at −1 and 1."""
    return in_double(np.arccos, self)


@pointwise(formula="arctan x", to_float=True, aliases="arctan", self=lambda grad, self: grad / (self * self + 1))
def atan(self: Any) -> Any:
    """The angle whose tangent is x; it flattens out far from zero: its slope is one over (1 + x²)."""
    return in_double(np.arctan, self)


@pointwise(formula="sinh x", to_float=True, slope=lambda self: self.cosh())
def sinh(self: Any) -> Any:
    """The hyperbolic sine; its slope is the hyperbolic cosine."""
    if self.dtype != np.float32:
        return in_double(np.sinh, self)
    return in_blocks(vector_hyperbolic.vector_sinh, single_functions.single_sinh, self)


@pointwise(formula="cosh x", to_float=True, slope=lambda self: self.sinh())
def cosh(self: Any) -> Any:
    """The hyperbolic cosine; its slope is the hyperbolic sine."""
    if self.dtype != np.float32:
        return in_double(np.cosh, self)
    return in_blocks(vector_hyperbolic.vector_cosh, single_functions.single_cosh, self)


@pointwise(formula="tanh x", to_float=True, aliases="functional.tanh", slope=lambda result: 1 - result * result)
def tanh(self: Any) -> Any:
    """Squeezes to between −1 and 1; its slope is one minus the result squared, so far from zero it lets hardly any gradient through."""
    return in_double(np.tanh, self)


def elementwise_tanh(x: Any) -> Any:
    """``tanh x`` inside of a kernel; a whole tensor's is left to a library that hardly ever rounds wrongly."""
    if x.dtype != np.float32:
        return in_double(np.tanh, x)
    return in_blocks(vector_hyperbolic.vector_tanh, single_functions.single_tanh, x)


@pointwise(formula="arsinh x", to_float=True, aliases="arcsinh", slope=lambda self: (self.pow(2) + 1).rsqrt())
def asinh(self: Any) -> Any:
    """The inverse of the hyperbolic sine; its slope is one over √(x² + 1)."""
    return in_double(np.arcsinh, self)


@pointwise(
    formula="arcosh x",
    to_float=True,
    aliases="arccosh",
    slope=lambda self: (self + 1).rsqrt() * (self - 1).rsqrt() if self.dtype.is_complex else (self * self - 1).rsqrt(),
)
def acosh(self: Any) -> Any:
    """The inverse of the hyperbolic cosine, from 1 on; its slope is one over √(x² − 1)."""
    return in_double(np.arccosh, self)


@pointwise(formula="artanh x", to_float=True, aliases="arctanh", self=lambda grad, self: grad * 1 / (1 - self.pow(2)))
def atanh(self: Any) -> Any:
    """The inverse of tanh; its slope is one over (1 − x²), steep near −1 and 1."""
    return in_double(np.arctanh, self)


for _operator in (asinh, acosh, atanh):
    _twin = TABLES["tensor"][f"{_operator.name}_"]
    _twin.operator = copy(_operator)  # a node of its own, which PyTorch's backward refuses
    _twin.operator.sources = unimplemented(f"inplace version of {_operator.name}", "self", "")
    _twin.operator.grad_fn = f"{_operator.name.capitalize()}Backward1"


def atan2_backward(grad: Tensor, self: Any, other: Any) -> Any:
    """``(y, −x) · grad / (x² + y²)``, zero at the origin."""
    squares = self * self + other * other
    share = squares.reciprocal().masked_fill(squares == 0, 0)
    return grad * other * share, grad * -self * share


@pointwise(
    needs_tensors="other",
    formula="arctan(y / x)",
    to_float=True,
    aliases="arctan2",
    differentiable="self other",
    joint=lambda grad, self, other: atan2_backward(grad, self, other),
)
def atan2(self: Any, other: Any) -> Any:
    """The angle of the point with this height and the other's breadth, all the way round; each side's slope is the
    other side over the squared length, the second's with a minus.
    """
    return in_double(np.arctan2, self, other)


def sinc_backward(grad: Tensor, self: Tensor) -> Tensor:
    """``(cos πx − sinc x) / x``, and zero at zero."""
    turned, squared = self * math.pi, self * self * math.pi
    slope = grad * ((turned * turned.cos() - turned.sin()) / squared)
    return where(squared == 0, constant(grad, 0.0), slope)


@pointwise(
    formula="sin πx / πx", to_float=True, aliases="special.sinc", self=lambda grad, self: sinc_backward(grad, self)
)
def sinc(self: Any) -> Any:
    """The sine of πx over πx: one at zero, ripples further out."""

    def compute(x: Any) -> Any:
        turned = x * x.dtype.type(math.pi)
        return np.where(x == 0, x.dtype.type(1), in_double(np.sin, turned) / turned)[()]

    return in_float(compute, self)


@pointwise(formula="x · π / 180", to_float=True, slope=lambda: math.pi / 180)
def deg2rad(self: Any) -> Any:
    """Degrees to radians; the gradient is scaled by the same factor."""
    return self * (math.pi / 180)


@pointwise(formula="x · 180 / π", to_float=True, slope=lambda: 180 / math.pi)
def rad2deg(self: Any) -> Any:
    """Radians to degrees; the gradient is scaled by the same factor."""
    return self * (180 / math.pi)
