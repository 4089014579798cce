"""Exponentials and logarithms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.late import Late
from engine.ops.core.declare import overloaded, pointwise
from engine.ops.pointwise.blocks import in_blocks, in_pieces
from engine.ops.pointwise.flat import constant
from engine.ops.pointwise.precision import in_double, in_float
from engine.ops.pointwise.vector_exp import elementwise, single_exp, vector_exp, vector_exp2
from engine.ops.pointwise.vector_log import vector_log1p
from engine.ops.selection.masks import where
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.ops.pointwise import library_exp, library_log, single_functions, vector_hyperbolic
else:
    library_exp = Late("engine.ops.pointwise.library_exp")
    library_log = Late("engine.ops.pointwise.library_log")
    single_functions = Late("engine.ops.pointwise.single_functions")
    vector_hyperbolic = Late("engine.ops.pointwise.vector_hyperbolic")

FLOAT32 = np.float32


@pointwise(formula="eˣ", slope=lambda result: result, to_float=True)
def exp(self: Any) -> Any:
    """Grows as fast as it is tall: its slope is its own value."""
    return library_exp.library_exp(self)


@pointwise(formula="2ˣ", to_float=True, aliases="special.exp2", self=lambda grad, result: grad * result * math.log(2))
def exp2(self: Any) -> Any:
    """Doubles with every step; its slope is its value times ln 2."""
    return in_blocks(vector_exp2, single_exp2, self) if self.dtype == FLOAT32 else in_double(np.exp2, self)


def single_exp2(x: Any) -> Any:
    """``2ˣ`` as the C library's ``exp2f`` gives it: rightly rounded."""
    return in_double(np.exp2, x)


@pointwise(formula="eˣ − 1", to_float=True, aliases="special.expm1", slope=lambda result: result + 1)
def expm1(self: Any) -> Any:
    """The exponential less one, exact near zero; its slope is the exponential."""
    return in_pieces(vector_hyperbolic.vector_expm1, self) if self.dtype == FLOAT32 else in_double(np.expm1, self)


def elementwise_expm1(x: Any) -> Any:
    """``eˣ − 1`` inside of a kernel, where what fills no block is left to the C library."""
    if x.dtype != FLOAT32:
        return in_double(np.expm1, x)
    return in_blocks(vector_hyperbolic.vector_expm1, single_functions.single_expm1, x)


@pointwise(formula="ln x", to_float=True, self=lambda grad, self: grad.div(self))
def log(self: Any) -> Any:
    """The natural logarithm; its slope is one over what it is given, steep near zero."""
    return library_log.library_log(self)


def logarithm_to(base: int, x: Any) -> Any:
    """The logarithm of complex numbers to a base: both parts of the natural one, divided by that of the base."""
    result = np.asarray(np.log(x))
    scale = np.log(result.real.dtype.type(base))
    result.real /= scale
    result.imag /= scale
    return result[()]


@pointwise(formula="log₂ x", to_float=True, self=lambda grad, self: grad / (self * 0.6931471805599453))
def log2(self: Any) -> Any:
    """The logarithm to base 2; its slope is one over x ln 2."""
    return logarithm_to(2, self) if self.dtype.kind == "c" else in_double(np.log2, self)


@pointwise(formula="log₁₀ x", to_float=True, self=lambda grad, self: grad / (self * 2.3025850929940456))
def log10(self: Any) -> Any:
    """The logarithm to base 10; its slope is one over x ln 10."""
    return logarithm_to(10, self) if self.dtype.kind == "c" else in_double(np.log10, self)


@pointwise(formula="ln(1 + x)", to_float=True, aliases="special.log1p", self=lambda grad, self: grad / (self + 1))
def log1p(self: Any) -> Any:
    """The logarithm of one more than x, exact near zero; its slope is one over (1 + x)."""
    return in_pieces(vector_log1p, self) if self.dtype == FLOAT32 else in_double(np.log1p, self)


@pointwise(
    needs_tensors="other",
    inplace=False,
    formula="ln(eˣ + eʸ)",
    self=lambda grad, self, other: grad / (1 + (other - self).exp()),
    other=lambda grad, self, other: grad / (1 + (self - other).exp()),
)
def logaddexp(self: Any, other: Any) -> Any:
    """Adds what two logarithms stand for; the larger one gets the larger share of the gradient."""
    return larger_and_rest(self, other, log1p_exp, 1.0)


@pointwise(
    needs_tensors="other",
    inplace=False,
    formula="log₂(2ˣ + 2ʸ)",
    self=lambda grad, self, other: grad / (1 + 2 ** (other - self)),
    other=lambda grad, self, other: grad / (1 + 2 ** (self - other)),
)
def logaddexp2(self: Any, other: Any) -> Any:
    """Adds what two logarithms to base 2 stand for; the larger one gets the larger share of the gradient."""
    return larger_and_rest(self, other, log1p_exp2, 1 / math.log(2))


def log1p_exp(x: Any) -> Any:
    """``ln(1 + eˣ)``, each step rounded as elementwise kernels round it."""
    if x.dtype != FLOAT32:
        return in_double(np.log1p, in_double(np.exp, x))
    return in_blocks(lambda v: vector_log1p(vector_exp(v)), lambda v: single_functions.single_log1p(single_exp(v)), x)


def log1p_exp2(x: Any) -> Any:
    """``ln(1 + 2ˣ)``, each step rounded as elementwise kernels round it."""
    if x.dtype != FLOAT32:
        return in_double(np.log1p, in_double(np.exp2, x))
    return in_blocks(lambda v: vector_log1p(vector_exp2(v)), lambda v: single_functions.single_log1p(single_exp2(v)), x)


def larger_and_rest(x: Any, y: Any, log1p_power: Any, scale: float) -> Any:
    """The larger logarithm and ``ln(1 + power(−|x − y|)) · scale``, rounded where PyTorch's kernel rounds (it fuses the sum)."""
    if x.dtype.kind == "c":
        return in_double(np.logaddexp, x, y)

    def compute(x: Any, y: Any) -> Any:
        rest = np.asarray(log1p_power(-np.abs(x - y)), np.float64)
        total = np.maximum(x, y) + rest * np.asarray(scale, x.dtype)
        return np.where((x == y) & np.isinf(x), x, total.astype(x.dtype))

    return in_float(compute, x, y)


def x_log_y(x: Any, y: Any) -> Any:
    """``x · ln y``, the logarithm rounded first; zero where x is, even if the logarithm is infinite."""
    product = x * in_double(np.log, y)
    return np.where((x == 0) & ~np.isnan(y), np.zeros_like(product), product)[()]


def x_log1p_y(x: Any, y: Any) -> Any:
    """``x · ln(1 + y)``, the logarithm rounded first; zero where x is."""
    product = x * in_double(np.log1p, y)
    return np.where((x == 0) & ~np.isnan(y), np.zeros_like(product), product)[()]


@pointwise(
    formula="x · ln y",
    at="internal",
    name="xlogy",
    to_float=True,
    self=lambda grad, self, other: grad.xlogy(other).masked_fill((self == 0) & (other <= 0), 0),
    other=lambda grad, self, other: grad * self / other,
)
def xlogy_tensors(self: Any, other: Any) -> Any:
    """Gives x times the logarithm of y, and zero where x is zero; x's slope is that logarithm, y's is x/y."""
    return x_log_y(self, other)


@pointwise(
    formula="c · ln y",
    at="internal",
    name="xlogy",
    grad_fn="XlogyBackward1",
    to_float=True,
    saves="other self",
    other=lambda grad, self, other: grad * self / other,
)
def xlogy_of_number(self: Any, other: Any) -> Any:
    """A number times the logarithm of y; y's slope is the number over y."""
    return x_log_y(other.dtype.type(self), other)


@pointwise(
    formula="x · ln c",
    at="internal",
    name="xlogy",
    grad_fn="XlogyBackward2",
    to_float=True,
    saves="other self",
    self=lambda grad, self, other: grad.xlogy(other) if other > 0 else grad.xlogy(other).masked_fill(self == 0, 0),
)
def xlogy_number(self: Any, other: Any) -> Any:
    """Gives x times the logarithm of a number; that logarithm is the slope."""
    return x_log_y(self, self.dtype.type(other))


@overloaded(at="torch tensor special", inplace=True, needs_tensors="any")
def xlogy(self: Any, other: Any) -> Any:
    """``x · ln y``, zero where x is zero; either may be a number."""
    if not isinstance(self, Tensor):
        return xlogy_of_number, self, other
    return (xlogy_tensors if isinstance(other, Tensor) else xlogy_number), self, other


@pointwise(
    formula="x · ln(1 + y)",
    at="internal",
    inplace=False,
    name="special_xlog1py",
    grad_fn="SpecialXlog1PyBackward0",
    to_float=True,
    self=lambda grad, self, other: xlog1py(grad, other).masked_fill((self == 0) & (other <= -1), 0),
    other=lambda grad, self, other: grad * self / (other + 1),
)
def xlog1py_tensors(self: Any, other: Any) -> Any:
    """Gives x times the logarithm of one more than y, and zero where x is zero; x's slope is that logarithm, y's is x/(1 +
    y).
    """
    return in_float(x_log1p_y, self, other)


@pointwise(
    formula="c · ln(1 + y)",
    at="internal",
    inplace=False,
    name="special_xlog1py",
    grad_fn="SpecialXlog1PyBackward1",
    to_float=True,
    saves="other self",
    other=lambda grad, self, other: grad * self / (other + 1),
)
def xlog1py_of_number(self: Any, other: Any) -> Any:
    """A number times the logarithm of one more than y; y's slope is the number over (1 + y)."""
    return in_float(x_log1p_y, other.dtype.type(self), other)


@pointwise(
    formula="x · ln(1 + c)",
    at="internal",
    inplace=False,
    name="special_xlog1py",
    grad_fn="SpecialXlog1PyBackward2",
    to_float=True,
    saves="other self",
    self=lambda grad, self, other: (
        xlog1py(grad, other) if other > -1 else xlog1py(grad, other).masked_fill(self == 0, 0)
    ),
)
def xlog1py_number(self: Any, other: Any) -> Any:
    """Gives x times the logarithm of one more than a number; that logarithm is the slope."""
    return in_float(x_log1p_y, self, self.dtype.type(other))


@overloaded(at="internal", name="special_xlog1py", aliases="special.xlog1py", needs_tensors="any")
def xlog1py(self: Any, other: Any) -> Any:
    """``x · ln(1 + y)``, zero where x is zero; either may be a number."""
    if not isinstance(self, Tensor):
        return xlog1py_of_number, self, other
    return (xlog1py_tensors if isinstance(other, Tensor) else xlog1py_number), self, other


@pointwise(
    formula="1 / (1 + e⁻ˣ)",
    to_float=True,
    aliases="special.expit functional.sigmoid",
    slope=lambda result: result * (1 - result),
)
def sigmoid(self: Any) -> Any:
    """Squeezes to between 0 and 1; its slope is the result times one minus the result, at most a quarter."""
    return in_float(lambda x: elementwise(lambda v, exp: v.dtype.type(1) / (v.dtype.type(1) + exp(-v)), x), self)


def logit_backward(grad: Tensor, self: Tensor, eps: float | None) -> Tensor:
    """The slope within bounds; without ``eps`` there is none outside of 0 to 1, with it the clamped ends are flat."""
    low, high = (0.0, 1.0) if eps is None else (eps, 1 - eps)
    outside = constant(grad, math.nan if eps is None else 0.0)
    return where((self >= low) & (self <= high), grad / (self * (constant(grad, 1.0) - self)), outside)


def clipped(x: Any, eps: float) -> Any:
    """Kept away from 0 and 1; both ends are rounded to the numbers' dtype, as 1 − eps is in PyTorch."""
    low = np.asarray(eps, x.dtype)
    return np.minimum(np.maximum(x, low), np.asarray(1, x.dtype) - low)


@pointwise(
    formula="ln(x / (1 − x))",
    to_float=True,
    aliases="special.logit",
    self=lambda grad, self, eps: logit_backward(grad, self, eps),
)
def logit(self: Any, eps: Any = None) -> Any:
    """The inverse of the sigmoid, from a probability to its score (``eps`` keeps it from the ends); its slope is one
    over p · (1 − p), steep near 0 and 1.
    """
    kept = self if eps is None else clipped(self, eps)
    return library_log.library_log(kept / (np.asarray(1, self.dtype) - kept))
