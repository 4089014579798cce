"""Bessel functions, and Airy's. The numbers come from scipy, imported when first used."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import pointwise
from engine.ops.core.operator import Operator
from engine.ops.pointwise.precision import in_double
from engine.ops.pointwise.special_functions import scipys
from engine.ops.selection.masks import where
from engine.tensor import Tensor


@pointwise(formula="I₀(x)", to_float=True, aliases="special.i0", slope=lambda self: i1(self))
def i0(self: Any) -> Any:
    """The modified Bessel function of order zero; its slope is that of order one."""
    return scipys("i0", self)


@pointwise(
    formula="e^(−|x|) · I₀(x)",
    at="internal",
    aliases="special.i0e",
    name="special_i0e",
    inplace=False,
    to_float=True,
    saves="result self",
    self=lambda grad, self, result: grad * (i1e(self) - self.sgn() * result),
)
def i0e(self: Any) -> Any:
    """The modified Bessel function of order zero, times exp(−|x|); its slope is that of order one (scaled likewise),
    less the sign times itself.
    """
    return scipys("i0e", self)


def near_zero(self: Tensor) -> Any:
    """Where dividing by x must be avoided, and x kept away from there."""
    eps = float(np.finfo(self._array.dtype).eps)
    inside = self.abs() > eps
    return inside, where(inside, self, eps)


def i1_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """``I₀(x) − I₁(x) / x``, and one half at zero."""
    inside, safe = near_zero(self)
    return grad * where(inside, safe.i0() - result * safe.reciprocal(), 0.5)


def i1e_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """The same without the growth."""
    inside, safe = near_zero(self)
    return grad * where(inside, i0e(safe) - result * (safe.sgn() + safe.reciprocal()), 0.5)


@pointwise(
    formula="I₁(x)",
    at="internal",
    aliases="special.i1",
    name="special_i1",
    inplace=False,
    to_float=True,
    saves="result self",
    self=lambda grad, self, result: i1_backward(grad, self, result),
)
def i1(self: Any) -> Any:
    """The modified Bessel function of order one; its slope is that of order zero, less the result over x."""
    return scipys("i1", self)


@pointwise(
    formula="e^(−|x|) · I₁(x)",
    at="internal",
    aliases="special.i1e",
    name="special_i1e",
    inplace=False,
    to_float=True,
    saves="result self",
    self=lambda grad, self, result: i1e_backward(grad, self, result),
)
def i1e(self: Any) -> Any:
    """The modified Bessel function of order one, times exp(−|x|); its slope is that of order zero (scaled likewise),
    less the result times (sign + 1/x).
    """
    return scipys("i1e", self)


def underived(name: str, scipy_name: str, what: str) -> Operator:
    """A function that PyTorch computes and does not differentiate: its result is outside the graph."""

    def kernel(self: Any) -> Any:
        return scipys(scipy_name, self)

    kernel.__doc__ = f"{what}. PyTorch gives it no derivative."
    return pointwise(formula=f"{name}(x)", at="special", name=name, inplace=False, to_float=True)(kernel)


@pointwise(formula="Ai(x)", at="special", inplace=False, to_float=True)
def airy_ai(self: Any) -> Any:
    """The Airy function. PyTorch gives it no derivative."""
    from scipy.special import airy

    return in_double(lambda x: airy(x)[0], self)


@pointwise(formula="sin x / x", at="special", inplace=False, to_float=True)
def spherical_bessel_j0(self: Any) -> Any:
    """The spherical Bessel function of order zero. PyTorch gives it no derivative."""
    return in_double(lambda x: np.where(np.isinf(x), 0, np.sinc(x / np.pi)), self)


for _name, _scipy, _what in (
    ("bessel_j0", "j0", "The Bessel function of the first kind, order zero"),
    ("bessel_j1", "j1", "The Bessel function of the first kind, order one"),
    ("bessel_y0", "y0", "The Bessel function of the second kind, order zero"),
    ("bessel_y1", "y1", "The Bessel function of the second kind, order one"),
    ("modified_bessel_i0", "i0", "The modified Bessel function of the first kind, order zero"),
    ("modified_bessel_i1", "i1", "The modified Bessel function of the first kind, order one"),
    ("modified_bessel_k0", "k0", "The modified Bessel function of the second kind, order zero"),
    ("modified_bessel_k1", "k1", "The modified Bessel function of the second kind, order one"),
    (
        "scaled_modified_bessel_k0",
        "k0e",
        "The modified Bessel function of the second kind, order zero, without its fast decay",
    ),
    (
        "scaled_modified_bessel_k1",
        "k1e",
        "The modified Bessel function of the second kind, order one, without its fast decay",
    ),
):
    underived(_name, _scipy, _what)
