"""Lengths: vector norms, distances, and what is shortened to a length."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype_names import scalar_type
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator, overloaded
from engine.ops.core.outputs import write_out
from engine.ops.core.signature import Number
from engine.ops.pointwise.arithmetic import forbid_bool
from engine.ops.pointwise.precision import in_double, magnitudes
from engine.ops.reduction.dims import dims_or_none, restored, wrap_dims
from engine.summation import lengths
from engine.tensor import Tensor


def norm_value(array: Any, ord: float, axes: Any, keepdim: bool) -> Any:
    """``(Σ |x|ᵖ)^(1/p)``, carried in double precision."""
    size = magnitudes(np.asarray(array, np.complex128 if array.dtype.kind == "c" else np.float64))
    if ord == 2:
        return np.sqrt(np.sum(size * size, axis=axes, keepdims=keepdim))
    if ord == 1:
        return np.sum(size, axis=axes, keepdims=keepdim)
    if ord == 0:
        return np.sum(size != 0, axis=axes, keepdims=keepdim).astype(np.float64)
    if math.isinf(ord):
        pick = np.max if ord > 0 else np.min
        if not size.size and ord > 0:
            return np.sum(size, axis=axes, keepdims=keepdim)
        return pick(size, axis=axes, keepdims=keepdim)
    return np.sum(size**ord, axis=axes, keepdims=keepdim) ** (1.0 / ord)


def rows_to_reduce(array: Any, axes: tuple[int, ...]) -> tuple[Any, tuple[int, ...]] | None:
    """The array as (rows, count), if the last axes of a dense array are those to reduce; and the shape of the rest."""
    kept = array.shape[: array.ndim - len(axes)]
    if not array.flags.c_contiguous or sorted(axes) != list(range(len(kept), array.ndim)):
        return None
    return array.reshape(math.prod(kept), -1), kept


def one_by_one(terms: Any) -> Any:
    """The sum along the first dimension, rounded after each term."""
    return np.add.accumulate(terms, axis=0)[-1]


def norms_in_turn(terms: Any, p: float) -> Any:
    """Norms along the first dimension of float32 numbers, rounded at each step: one power is added after the other."""
    size = np.abs(terms)
    if p == 1:
        return one_by_one(size)
    if p == 2:
        return np.sqrt(one_by_one(size * size))
    exponent = np.float32(p)
    total = one_by_one(in_double(np.power, size, exponent))
    return in_double(np.power, total, np.float32(1) / exponent)


def norm_rounded(array: Any, p: float, axes: tuple[int, ...], keepdim: bool, dtype: Any) -> Any:
    """`norm_value` as ``dtype``; lengths of dense float32 vectors are added up in the order of PyTorch's kernel."""
    if dtype == np.float32 and array.dtype == np.float32 and array.size and p > 0 and not math.isinf(p):
        in_order = rows_to_reduce(np.asarray(array), axes)
        if in_order is not None:
            rows, kept = in_order
            shape = tuple(1 for _ in range(array.ndim - len(kept))) if keepdim else ()
            found = lengths(rows) if p == 2 else norms_in_turn(rows.T, p)
            return found.reshape(kept + shape)[()]
        if axes == (0,):
            found = norms_in_turn(array, p)
            return found[None] if keepdim else found
    return norm_value(array, p, axes, keepdim).astype(dtype)


def norm_backward(grad: Tensor, self: Tensor, ord: Any, result: Tensor, dim: Any, keepdim: bool) -> Tensor | None:
    """x's direction times ``(|x| / norm)^(p − 1)``; where the norm is zero PyTorch chooses zero.

    A count of what is not zero (p = 0) has no gradient at all.
    """
    p = 2.0 if ord is None else float(ord)
    grad, norm = restored(grad, dim, keepdim, self.ndim), restored(result, dim, keepdim, self.ndim)
    if p == 0:
        return None
    if p == 1:
        return self.sgn() * grad
    if p == 2:
        return grad * (self / norm).masked_fill(norm == 0, 0)
    if math.isinf(p):
        largest = (self.abs() == norm) | (self.isnan() & norm.isnan())
        count = largest.sum(wrap_dims(dim, self.ndim), True) if self.ndim else largest.sum()
        return self.sgn() * ((grad / count) * largest)
    if p < 1:
        return self.sgn() * self.abs().pow(p - 1).masked_fill(self == 0, 0) * grad * norm.pow(1 - p)
    if p < 2:
        return self.sgn() * self.abs().pow(p - 1) * (grad / norm.pow(p - 1)).masked_fill(norm == 0, 0)
    return self * self.abs().pow(p - 2) * (grad / norm.pow(p - 1)).masked_fill(norm == 0, 0)


@operator(
    order="rows",
    formula="(Σ |x|ᵖ)^(1/p)",
    at="internal",
    name="linalg_vector_norm",
    saves="dim keepdim ord result self",
    self=lambda grad, self, ord, result, dim, keepdim: norm_backward(grad, self, ord, result, dim, keepdim),
)
def vector_norm_operator(self: Any, ord: Number = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The p-norm of a vector, its length where p is 2; of a length, each element's slope is its part of the direction.

    Raises:
        RuntimeError: for whole numbers.
    """
    if self.dtype.kind not in "fVc":
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {scalar_type(self)}"
        )
    target = self.dtype if dtype is None else dtype.array
    real = dtypes.BY_ARRAY[np.dtype(target)].to_real().array
    return norm_rounded(self, float(ord), wrap_dims(dim, self.ndim), keepdim, real)


@overloaded(at="linalg")
def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The p-norm of all elements, or of the vectors along ``dim``."""
    return vector_norm_operator, x, ord, dims_or_none(dim), keepdim, dtype


@composite()
def norm(
    self: Tensor,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    out: Any = None,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """The p-norm of all elements or of those along ``dim``; ``"fro"`` is 2, ``"nuc"`` the sum of singular values.

    Raises:
        RuntimeError: an unknown name of a norm.
    """
    if p == "nuc":
        axes = tuple(dim) if dim is not None else (-2, -1)
        length = TABLES["linalg"]["matrix_norm"](self, "nuc", axes, keepdim, dtype=dtype)
    elif isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    else:
        length = vector_norm_operator(self, 2 if p in ("fro", None) else p, dims_or_none(dim), keepdim, dtype)
    written: Tensor = length if out is None else write_out(length, out, vector_norm_operator, (self,))
    return written


@operator(
    order="rows",
    formula="‖x − y‖",
    saves="other p result self",
    self=lambda grad, self, other, p, result: norm_backward(grad, self - other, p, result, None, False),
    other=lambda grad, self, other, p, result: -norm_backward(grad, self - other, p, result, None, False),
)
def dist(self: Any, other: Any, p: Number = 2) -> Any:
    """The p-norm of the difference; the second side gets the first one's gradient with its sign flipped.

    Raises:
        RuntimeError: whole numbers.
    """
    if self.dtype.kind == "b" == other.dtype.kind:
        forbid_bool("Subtraction, the `-` operator,", self, other)
    difference = np.asarray(self - other)
    if difference.dtype.kind in "biu":
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {scalar_type(difference)} instead."
        )
    return norm_value(difference, float(p), None, False).astype(difference.real.dtype)


def renorm_backward(grad: Tensor, self: Tensor, p: Any, dim: int, maxnorm: Any) -> Tensor:
    """Slices within the limit pass; the others lose what would lengthen them."""
    axis = dim % self.ndim
    others = [d for d in range(self.ndim) if d != axis]
    length = vector_norm_operator(self, p, tuple(others), True, None)
    inverse = (length + 1e-7).reciprocal()
    along_slice = (self.conj() * grad if self.dtype.is_complex else self * grad).sum(others, True)
    along_slice = along_slice.real if self.dtype.is_complex else along_slice
    through = norm_backward(along_slice, self, p, length, tuple(others), True)
    scaled = inverse * maxnorm * (grad - inverse * through)
    return TABLES["torch"]["where"](length > maxnorm, scaled, grad)


@operator(
    order="rows",
    formula="x, no slice longer than m",
    inplace=True,
    saves="dim maxnorm p self",
    self=lambda grad, self, p, dim, maxnorm: renorm_backward(grad, self, p, dim, maxnorm),
)
def renorm(self: Any, p: Number, dim: int, maxnorm: Number) -> Any:
    """Shortens every slice along ``dim`` whose norm exceeds ``maxnorm``; a slice that is short enough gets its gradient
    unchanged.

    Raises:
        RuntimeError: fewer than two dimensions, or numbers that make no sense.
    """
    if float(p) <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if self.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {self.ndim} dimensions")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    axes = tuple(d for d in range(self.ndim) if d != dim % self.ndim)
    length = norm_value(self, float(p), axes, True)
    return (self * np.where(length > maxnorm, maxnorm / (length + 1e-7), 1).astype(self.dtype)).astype(self.dtype)
