"""Sums and means: many elements become one, over all or some dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.running import remembered
from engine.dtype_names import SCALAR_TYPE, scalar_type
from engine.ops.core.declare import composite, operator, overloaded
from engine.ops.core.on_arrays import takes_arrays
from engine.ops.core.refused_dtypes import forbid_bool
from engine.ops.layout.copies import blank
from engine.ops.pointwise.exponential import exp, log
from engine.ops.pointwise.precision import in_float
from engine.ops.reduction.dims import as_tuple, dims_or_none, restored, wrap_dims
from engine.summation import averaged as mean_in_order
from engine.summation import carrier, summed
from engine.tensor import Tensor, wrap


def sum_dtype(array: Any, dtype: Any) -> Any:
    """Sums of integers and booleans are int64."""
    if dtype is not None:
        return dtype.array
    return np.dtype(np.int64) if array.dtype.kind in "biu" else array.dtype


def added(array: Any, axes: Any, keepdim: bool, dtype: Any) -> Any:
    """The sum in the result's dtype, carried in float32 for half types."""
    target = sum_dtype(array, dtype)
    return summed(array.astype(carrier(target), copy=False), all_of(axes, array), keepdim).astype(target, copy=False)


def all_of(axes: Any, array: Any) -> tuple[int, ...]:
    """The axes, all of them for None."""
    return tuple(range(array.ndim)) if axes is None else axes


@takes_arrays
def repeated(grad: Tensor, shape: Any) -> Tensor:
    """The gradient seen by every element of this shape."""
    if isinstance(grad, Tensor):
        return grad.expand(shape)
    place = remembered(grad)  # a view like any other, whose slices leaves may keep: they then share it
    return np.ndarray(shape, place.dtype, place, 0, (0,) * len(shape))


@operator(
    order="rows",
    at="internal",
    name="sum",
    formula="Σ x",
    self=lambda grad, self_sym_sizes: repeated(grad, self_sym_sizes),
)
def sum_all(self: Any, dtype: Any = None) -> Any:
    """Adds up; every element that went in gets the same gradient back."""
    return added(self, None, False, dtype)


@operator(
    order="rows",
    at="internal",
    name="sum",
    grad_fn="SumBackward1",
    formula="Σ x",
    saves="dim keepdim self_sym_sizes",
    self=lambda grad, self_sym_sizes, dim, keepdim: spread_back(grad, self_sym_sizes, dim, keepdim),
)
def sum_dims(self: Any, dim: Any, keepdim: bool = False, dtype: Any = None) -> Any:
    """Adds up along dimensions; every element that went in gets its sum's gradient back."""
    return added(self, wrap_dims(dim, self.ndim), keepdim, dtype)


def spread_back(grad: Tensor, shape: Any, dim: Any, keepdim: bool) -> Tensor:
    """A reduction's gradient, repeated over the dimensions it had summed."""
    return restored(grad, dim, keepdim, len(shape)).expand(shape)


for _operator in (sum_all, sum_dims):
    _operator.sums_in_any_dtype = True

NOT_GIVEN: Any = object()
"""A ``dim`` that was left out: PyTorch has another overload for it than for None."""


def refuse_lone_keepdim(function: str, keepdim: bool) -> None:
    """Raises TypeError: dimensions are to be kept, and none are named."""
    if keepdim:
        raise TypeError(f"{function}() received an invalid combination of arguments - got (keepdim=bool, )")


@overloaded()
def sum(self: Any, dim: Any = NOT_GIVEN, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Adds up all elements, or those along ``dim``."""
    if dim is NOT_GIVEN:
        refuse_lone_keepdim("sum", keepdim)
        return sum_all, self, dtype
    return sum_dims, self, dims_or_none(dim), keepdim, dtype


@composite(at="tensor")
def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Adds up what broadcasting to this shape had repeated.

    Raises:
        RuntimeError: this shape cannot have come from that one.
    """
    shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], list | tuple) else size
    if not shape:
        return sum_all(self)
    result = self._sum_to(tuple(shape))
    if result is None:
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(self.shape)}}}.")
    return result


# ── mean ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def averaged(array: Any, axes: Any, keepdim: bool, dtype: Any) -> Any:
    """The mean; of nothing it is nan.

    Raises:
        RuntimeError: for whole numbers, in PyTorch's words.
    """
    target = array.dtype if dtype is None else dtype.array
    if target.kind in "biu":
        found = SCALAR_TYPE[target.name]
        how = "Input dtype" if dtype is None else "Optional dtype"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {how} must be either a floating point or complex dtype. "
            f"Got: {found}"
        )
    return mean_in_order(array.astype(carrier(target), copy=False), all_of(axes, array), keepdim).astype(
        target, copy=False
    )


@operator(
    order="rows",
    at="internal",
    name="mean",
    formula="(Σ x) / n",
    saves="self_sym_numel self_sym_sizes",
    self=lambda grad, self_sym_sizes, self_sym_numel: repeated(grad, self_sym_sizes) / self_sym_numel,
)
def mean_all(self: Any, dtype: Any = None) -> Any:
    """The average; every element gets an equal part of the gradient."""
    return averaged(self, None, False, dtype)


def mean_backward(grad: Tensor, shape: Any, dim: Any, keepdim: bool) -> Tensor:
    """The gradient repeated, and divided by how many were averaged."""
    return spread_back(grad, shape, dim, keepdim) / max(math.prod(shape[d] for d in wrap_dims(dim, len(shape))), 1)


@operator(
    order="rows",
    at="internal",
    name="mean",
    grad_fn="MeanBackward1",
    formula="(Σ x) / n",
    saves="dim keepdim self_sym_numel self_sym_sizes",
    self=lambda grad, self_sym_sizes, dim, keepdim: mean_backward(grad, self_sym_sizes, dim, keepdim),
)
def mean_dims(self: Any, dim: Any, keepdim: bool = False, dtype: Any = None) -> Any:
    """The average along dimensions; every element gets an equal part of its mean's gradient."""
    return averaged(self, wrap_dims(dim, self.ndim), keepdim, dtype)


@overloaded()
def mean(self: Any, dim: Any = NOT_GIVEN, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The average of all elements, or of those along ``dim``."""
    if dim is NOT_GIVEN:
        refuse_lone_keepdim("mean", keepdim)
        return mean_all, self, dtype
    return mean_dims, self, dims_or_none(dim), keepdim, dtype


# ── without nan ──────────────────────────────────────────────────────────────────────────────────────────────────────


@operator(
    order="rows",
    at="internal",
    name="nansum",
    formula="Σ x, x ≠ nan",
    saves="dim keepdim self",
    self=lambda grad, self, self_shape, dim, keepdim: (
        spread_back(grad, self_shape, dim, keepdim) * self.isnan().logical_not()
    ),
)
def nansum_operator(self: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Adds up what is a number; a number gets its sum's gradient, nan gets zero.

    Raises:
        RuntimeError: complex numbers.
    """
    if self.dtype.kind == "c":
        raise RuntimeError("nansum does not support complex inputs")
    cleaned = np.where(np.isnan(self), self.dtype.type(0), self) if self.dtype.kind in "fV" else self
    return added(cleaned, wrap_dims(dim, self.ndim), keepdim, dtype)


nansum_operator.sums_in_any_dtype = True


@overloaded()
def nansum(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Adds up what is a number."""
    if dim is None and self.dtype.category < dtypes.FLOAT:
        return sum_all, self, dtype
    return nansum_operator, self, dims_or_none(dim), keepdim, dtype


@composite()
def nanmean(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """The average of what is a number.

    Raises:
        RuntimeError: for whole numbers.
    """
    if self.dtype.category < dtypes.FLOAT:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {scalar_type(self)}"
        )
    count = self.detach().isnan().logical_not().sum(dim, keepdim)
    return nansum(self, dim, keepdim, dtype=dtype) / count


# ── log-sum-exp ──────────────────────────────────────────────────────────────────────────────────────────────────────


def logsumexp_kernel(x: Any, axes: Any, keepdim: bool) -> Any:
    """Shifted by the maximum, so that nothing overflows."""
    top = np.max(x.real, axis=axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    powers = exp.kernel(x - top)
    if x.dtype.kind == "c":
        total = np.sum(powers, axis=axes, keepdims=True)
    else:
        total = in_float(lambda each: summed(each, axes, True), powers)
    total = log.kernel(total) + top
    return total if keepdim else np.squeeze(total, axis=axes)


def logsumexp_backward(grad: Tensor, self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """Each element's share in the sum."""
    grad, result = restored(grad, dim, keepdim, self.ndim), restored(result, dim, keepdim, self.ndim)
    return grad * (self - result).exp()


@operator(
    order="rows",
    formula="ln Σ eˣ",
    at="internal",
    name="logsumexp",
    saves="dim keepdim result self",
    to_float=True,
    holomorphic=True,
    self=lambda grad, self, result, dim, keepdim: logsumexp_backward(grad, self, result, dim, keepdim),
)
def logsumexp_operator(self: Any, dim: Any, keepdim: bool = False) -> Any:
    """A smooth maximum; the gradient is shared out like softmax."""
    return logsumexp_kernel(self, wrap_dims(dim, self.ndim), keepdim)


@overloaded(at="torch tensor special")
def logsumexp(self: Any, dim: Any, keepdim: bool = False) -> Any:
    """The logarithm of the sum of exponentials along ``dim``."""
    return logsumexp_operator, self, as_tuple(dim), keepdim


# ── the diagonal ─────────────────────────────────────────────────────────────────────────────────────────────────────


def on_diagonal(grad: Tensor, shape: Any) -> Tensor:
    """The gradient on the diagonal, zero beside it."""
    rows, columns = shape
    places = np.arange(min(rows, columns)) * (columns + 1)
    made: Tensor = blank(grad, (rows * columns,)).index_fill(0, wrap(places), grad).view(tuple(shape))
    return made


@operator(order="rows", formula="Σ xᵢᵢ", self=lambda grad, self_sym_sizes: on_diagonal(grad, self_sym_sizes))
def trace(self: Any) -> Any:
    """Adds up a matrix's diagonal; the diagonal gets the gradient, the rest gets zero.

    Raises:
        RuntimeError: it is no matrix.
    """
    forbid_bool(self, "trace")
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    return np.trace(self, dtype=sum_dtype(self, None))
