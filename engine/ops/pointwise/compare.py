"""Comparisons: answers are yes or no, and have no slope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.batching import refuse_batch
from engine.ops.core.declare import composite, operator, pointwise
from engine.ops.core.dimension import common_shape
from engine.ops.core.operator import Operator
from engine.ops.pointwise.flat import zeros
from engine.ops.pointwise.no_order import forbid_complex
from engine.tensor import Tensor


def flat_in_place(twin: str) -> dict[str, Any]:
    """What is common to the comparisons: only their in-place twin has a node, whose gradient is zero."""
    return {"self": lambda grad: zeros(grad), "other": lambda grad: zeros(grad), "grad_fn": f"{twin}Backward1"}


@pointwise(formula="x = y", **flat_in_place("Eq"))
def eq(self: Any, other: Any) -> Any:
    """Whether they are equal; a yes or no has no slope."""
    return np.equal(self, other)


@pointwise(formula="x ≠ y", aliases="not_equal", **flat_in_place("Ne"))
def ne(self: Any, other: Any) -> Any:
    """Whether they differ; a yes or no has no slope."""
    return np.not_equal(self, other)


@pointwise(formula="x > y", aliases="greater", **flat_in_place("Gt"))
def gt(self: Any, other: Any) -> Any:
    """Whether x is greater; a yes or no has no slope."""
    return ordered(np.greater, self, other)


@pointwise(formula="x ≥ y", aliases="greater_equal", **flat_in_place("Ge"))
def ge(self: Any, other: Any) -> Any:
    """Whether x is greater or equal; a yes or no has no slope."""
    return ordered(np.greater_equal, self, other)


@pointwise(formula="x < y", aliases="less", **flat_in_place("Lt"))
def lt(self: Any, other: Any) -> Any:
    """Whether x is less; a yes or no has no slope."""
    return ordered(np.less, self, other)


@pointwise(formula="x ≤ y", aliases="less_equal", **flat_in_place("Le"))
def le(self: Any, other: Any) -> Any:
    """Whether x is less or equal; a yes or no has no slope."""
    return ordered(np.less_equal, self, other)


def ordered(compare: Any, self: Any, other: Any) -> Any:
    """Complex numbers have no order.

    Raises:
        NotImplementedError: for complex numbers.
    """
    forbid_complex(self, KERNELS[compare])
    return compare(self, other)


KERNELS = {np.greater: "gt_cpu", np.greater_equal: "ge_cpu", np.less: "lt_cpu", np.less_equal: "le_cpu"}


@pointwise(formula="x is nan", aliases="special.isnan", inplace=False)
def isnan(self: Any) -> Any:
    """Whether it is not a number."""
    return np.isnan(self)


@pointwise(formula="|x| = ∞", inplace=False)
def isinf(self: Any) -> Any:
    """Whether it is infinite, either way."""
    return np.isinf(self)


@pointwise(formula="|x| < ∞", inplace=False)
def isfinite(self: Any) -> Any:
    """Whether it is neither infinite nor nan."""
    return np.isfinite(self)


@pointwise(formula="x = ∞", inplace=False)
def isposinf(self: Any) -> Any:
    """Whether it is plus infinity."""
    return np.equal(self, np.inf)


@pointwise(formula="x = −∞", inplace=False)
def isneginf(self: Any) -> Any:
    """Whether it is minus infinity."""
    return np.equal(self, -np.inf)


@pointwise(formula="Im x = 0", inplace=False)
def isreal(self: Any) -> Any:
    """Whether there is no imaginary part."""
    return np.equal(self.imag, 0) if self.dtype.kind == "c" else np.ones(self.shape, np.bool_)


def close(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    """``|a − b| ≤ atol + rtol · |b|``, equal infinities included."""
    same = np.equal(a, b)
    if equal_nan and a.dtype.kind in "fcV":
        same = same | (np.isnan(a) & np.isnan(b))
    if rtol == 0 and atol == 0:
        return same
    wide = np.complex128 if a.dtype.kind == "c" else np.float64 if a.dtype.kind in "fV" else np.int64
    distance = np.abs(a.astype(wide) - b.astype(wide))
    return same | (np.isfinite(distance) & (distance <= atol + np.abs(rtol * b.astype(wide))))


@operator(
    at="internal", name="isclose", needs_tensors="other", formula="|x − y| ≤ atol + rtol · |y|", order="elementwise"
)
def near(self: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether they are as good as equal.

    Raises:
        RuntimeError: different dtypes, or a negative tolerance.
    """
    if self.dtype != other.dtype:
        raise RuntimeError(f"{scalar_type(self)} did not match {scalar_type(other)}")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance:g}")
    common_shape(self.shape, other.shape)
    return close(self, other, rtol, atol, equal_nan)


@composite()
def isclose(self: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether they are as good as equal."""
    result: Tensor = near(self, other, rtol, atol, equal_nan)
    result._touch()  # PyTorch puts its parts together in place
    return result


@composite()
def allclose(self: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are as good as equal."""
    refuse_batch("allclose", self, other)
    return bool(isclose(self, other, rtol, atol, equal_nan)._array.all())


@composite()
def equal(self: Tensor, other: Tensor) -> bool:
    """Whether shape and all elements are equal.

    Raises:
        RuntimeError: the dtypes differ.
    """
    refuse_batch("equal", self, other)
    if self._array.shape != other._array.shape:
        return False
    return bool(np.equal(self._array, other._array).all())


@composite()
def is_nonzero(self: Tensor) -> bool:
    """Whether the one element is not zero.

    Raises:
        RuntimeError: for none, or for several elements.
    """
    array = self._array
    if array.size != 1:
        many = "more than one value" if array.size else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(array.item() if array.dtype.kind != "V" else float(array.reshape(())[()]))


def comparison(compare_: Operator, arrays: bool = False) -> Callable[[Tensor, Any], Any]:
    """The dunder of a comparison; what is neither tensor nor number is Python's affair, and so are arrays unless said otherwise."""

    def compare(self: Tensor, other: Any) -> Any:
        if isinstance(other, Tensor | bool | int | float | complex):
            return compare_(self, other)
        if isinstance(other, np.generic):
            return compare_(self, other.item())
        if arrays and isinstance(other, np.ndarray):
            return compare_(self, Tensor._output_again(other, None, None, 0))
        return NotImplemented

    return compare


Tensor.__eq__, Tensor.__ne__ = comparison(eq, arrays=True), comparison(ne)
Tensor.__lt__, Tensor.__le__ = comparison(lt), comparison(le)
Tensor.__gt__, Tensor.__ge__ = comparison(gt), comparison(ge)
Tensor.__hash__ = lambda self: id(self)
