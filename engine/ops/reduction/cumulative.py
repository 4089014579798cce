"""Running sums, products and extremes; differences and areas."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import wrapped
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.layout.copies import blank
from engine.ops.layout.joining import cat
from engine.ops.layout.slicing import slice_
from engine.ops.pointwise.no_order import forbid_complex
from engine.ops.pointwise.precision import in_double
from engine.ops.reduction.reduce import sum_dtype
from engine.ops.selection.masks import where
from engine.tensor import Tensor, wrap

CARRIERS = {2: np.float32, 4: np.float64}
"""In which precision PyTorch carries a running sum of floats, by the result's bytes."""


def running(ufunc: Any, array: Any, dim: int, dtype: Any) -> Any:
    """A running sum or product in the result's dtype."""
    target = sum_dtype(array, dtype)
    if not array.ndim:
        wrapped(dim, 0)
        return array.astype(target)
    carrier = CARRIERS.get(target.itemsize, target) if target.kind in "fV" else target
    values = ufunc.accumulate(array.astype(carrier), axis=wrapped(dim, array.ndim))
    return (
        (values + ufunc.identity).astype(target) if ufunc is np.add else values.astype(target)
    )  # from 0 on, so never -0


def reversed_cumsum(grad: Tensor, dim: int) -> Tensor:
    """Sums from the end: each element took part in its own place and all later ones."""
    if grad._array.size <= 1 or grad.shape[dim] == 1:
        return grad
    return grad.flip(dim).cumsum(dim).flip(dim)


@operator(
    order="rows",
    formula="Σ x up to here",
    inplace=True,
    saves="dim",
    self=lambda grad, self_dtype, dim: reversed_cumsum(grad.to(self_dtype), dim),
)
def cumsum(self: Any, dim: int, *, dtype: Any = None) -> Any:
    """The running sum; each element gets the gradients of its own place and all later ones."""
    return running(np.add, self, dim, dtype)


def cumprod_backward(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    """Where nothing is zero: ``Σ later (grad · result) / x``; else as far as the zeros let anything through."""
    if not self.ndim:
        return grad
    axis = wrapped(dim, self.ndim)
    if self._array.size <= 1 or self.shape[axis] == 1:
        return grad
    if not bool((self._array == 0).any()):
        return reversed_cumsum(result * grad, axis) / self
    return factor_by_factor(grad, self, axis) if modes.grad_enabled else around_zeros(grad, self, result, axis)


def around_zeros(grad: Tensor, self: Tensor, result: Tensor, axis: int) -> Tensor:
    """Before the first zero as if there were none; at it the others' products up to the second; after it nothing."""
    zeros_so_far = (self == 0).cumsum(axis)
    before, between = zeros_so_far == 0, zeros_so_far == 1
    first = between & (self == 0)
    front = reversed_cumsum((result * grad).masked_fill(~before, 0), axis) / self
    behind = self.masked_fill(~between | first, 1).cumprod(axis) * grad.masked_fill(~between, 0)
    so_far = self.masked_fill(~before, 1).prod(axis, keepdim=True)
    return where(before, front, where(first, behind.sum(axis, keepdim=True) * so_far, blank(grad, self.shape)))


def factor_by_factor(grad: Tensor, self: Tensor, axis: int) -> Tensor:
    """For each factor the products that hold it, without it: slower, but differentiable where a factor is zero."""
    length, made = self.shape[axis], blank(grad, self.shape)
    for place in range(length):
        later = self.narrow(axis, place + 1, length - place - 1).cumprod(axis)
        before = wrap(np.ones_like(self.narrow(axis, 0, 1)._array))
        if place:
            before = self.narrow(axis, 0, place).prod(axis, keepdim=True)
            later = before.expand_as(later) * later
        without = cat([before, later], axis) if place + 1 < length else before
        made.select(axis, place).copy_((grad.narrow(axis, place, length - place) * without).sum(axis))
    return made


@operator(
    order="rows",
    formula="Π x up to here",
    inplace=True,
    saves="dim result self",
    holomorphic=True,
    self=lambda grad, self, result, dim: cumprod_backward(grad.to(self.dtype), self, result, dim),
)
def cumprod(self: Any, dim: int, *, dtype: Any = None) -> Any:
    """The running product; where nothing is zero, each element's slope is every later product over itself."""
    return running(np.multiply, self, dim, dtype)


for _operator in (cumsum, cumprod):
    _operator.sums_in_any_dtype = True


def running_extreme(array: Any, dim: int, better: Any) -> tuple[Any, Any]:
    """Running extremes and the latest place of each; nan, once met, stays."""
    forbid_complex(array, "cummax_cpu" if better is np.greater_equal else "cummin_cpu")
    if not array.ndim:
        wrapped(dim, 0)
        return array.copy(), np.int64(0)
    axis = wrapped(dim, array.ndim)
    moved = np.moveaxis(array, axis, 0)
    values, indices = np.empty_like(moved), np.empty(moved.shape, np.int64)
    if len(moved):
        best, where_best = moved[0], np.zeros(moved.shape[1:], np.int64)
        for i, row in enumerate(moved):
            wins = (
                np.isnan(row) | (better(row, best) & ~np.isnan(best)) if array.dtype.kind in "fV" else better(row, best)
            )
            best, where_best = np.where(wins, row, best), np.where(wins, i, where_best)
            values[i], indices[i] = best, where_best
    return np.moveaxis(values, 0, axis), np.moveaxis(indices, 0, axis)


def running_backward(grad: Tensor, indices: Tensor, shape: Any, dim: int) -> Tensor:
    """Each place's gradient goes to where its value came from; several add up."""
    return blank(grad, shape).scatter_add(dim, indices, grad)


@operator(
    order="rows",
    formula="max x up to here",
    outputs="values indices",
    saves="dim indices self",
    self=lambda grads, indices, self_shape, dim: running_backward(grads[0], indices, self_shape, dim),
)
def cummax(self: Any, dim: int) -> Any:
    """The largest so far, and where it stood; the gradient goes back to those places."""
    return running_extreme(self, dim, np.greater_equal)


@operator(
    order="rows",
    formula="min x up to here",
    outputs="values indices",
    saves="dim indices self",
    self=lambda grads, indices, self_shape, dim: running_backward(grads[0], indices, self_shape, dim),
)
def cummin(self: Any, dim: int) -> Any:
    """The smallest so far, and where it stood; the gradient goes back to those places."""
    return running_extreme(self, dim, np.less_equal)


def logcumsumexp_backward(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    """Positive and negative gradients apart, each summed from the end under the logarithm."""
    if not self.ndim:
        return grad
    if self.dtype.is_complex:
        return reversed_cumsum(grad * (-result).exp(), dim) * self.exp()
    lowest = float(np.finfo(np.float64).min) if grad.dtype.itemsize == 8 else float(np.finfo(np.float32).min)
    size = grad.abs().log()
    parts = []
    for sign in (grad > 0, grad < 0):
        masked = where(sign, size, lowest)
        parts.append((reverse_logcumsumexp(masked - result, dim) + self).exp())
    return parts[0] - parts[1]


def reverse_logcumsumexp(self: Tensor, dim: int) -> Tensor:
    """`logcumsumexp` from the end."""
    return logcumsumexp(self.flip(dim), dim).flip(dim) if self.ndim else self


@operator(
    order="rows",
    formula="ln Σ eˣ up to here",
    saves="dim result self",
    holomorphic=True,
    self=lambda grad, self, result, dim: logcumsumexp_backward(grad, self, result, dim),
)
def logcumsumexp(self: Any, dim: int) -> Any:
    """The running log-sum-exp; each place shares its gradient among the elements so far, like softmax."""
    floats_only(self, "logcumsumexp_out_cpu")
    axis = wrapped(dim, self.ndim)
    if not self.ndim:
        return self.copy()
    if self.dtype.kind == "c":
        return in_double(lambda x: np.log(np.cumsum(np.exp(x), axis)), self)
    return in_double(lambda x: np.logaddexp.accumulate(x, axis), self)


def part(self: Tensor, dim: int, start: int, end: int | None) -> Tensor:
    """``self[start:end]`` along a dimension, under the numbers PyTorch's own slices carry."""
    return slice_(self, dim, start, end)


@composite()
def diff(
    self: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Each element less the one before, ``n`` times over.

    Raises:
        RuntimeError: for a 0-d tensor, or a negative n.
    """
    if not self.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    wrapped(dim, self.ndim)
    if n == 0:
        return blank(self).copy_(self)
    pieces = [t for t in (prepend, self, append) if t is not None]
    if len(pieces) > 1:
        self = cat(pieces, dim)
    for _ in range(min(n, self.shape[dim])):
        length = self.shape[dim]
        earlier = part(self, dim, 0, length - 1)  # first, as PyTorch's compiler has it
        later = part(self, dim, 1, length)
        self = later.logical_xor(earlier) if self._array.dtype.kind == "b" else later - earlier
    return self
