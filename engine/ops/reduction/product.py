"""Products over all or some dimensions; each factor's slope is the product of the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.ops.core.declare import operator, overloaded
from engine.ops.core.dimension import whole, wrapped
from engine.ops.layout.joining import cat
from engine.ops.reduction.dims import UNSET, restored, wrap_dims
from engine.ops.reduction.reduce import sum_dtype
from engine.summation import carrier
from engine.tensor import Tensor, wrap


def multiplied(array: Any, axes: Any, keepdim: bool, dtype: Any) -> Any:
    """The product in the result's dtype."""
    target = sum_dtype(array, dtype)
    return np.prod(
        array.astype(target),
        axis=axes,
        keepdims=keepdim,
        dtype=carrier(target),
    ).astype(target)


def product_backward(grad: Tensor, self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """The product of all the others: ``result / x``, or multiplied out where there is a zero."""
    self = self.to(grad.dtype)
    if not self.ndim:
        return grad
    if dim is not None:
        grad, result = restored(grad, dim, keepdim, self.ndim), restored(result, dim, keepdim, self.ndim)
    if bool((self._array == 0).any()) or (self.requires_grad and bool((result._array == 0).any())):
        if dim is None and not modes.grad_enabled and np.count_nonzero(self._array == 0) > 1:
            return wrap(np.zeros_like(self._array))
        if dim is None:
            return scaled_by_others(grad, self.contiguous().view(-1), 0).view(self.shape)
        return scaled_by_others(grad, self, wrapped(dim, self.ndim))
    return grad * (result / self)


def scaled_by_others(grad: Tensor, self: Tensor, dim: int) -> Tensor:
    """The gradient times what stands beside each element; a lone one has nothing beside it."""
    return grad if self.shape[dim] == 1 else grad * others_product(self, dim)


def others_product(self: Tensor, dim: int) -> Tensor:
    """For each element along ``dim``, the product of all others: what stands before times what stands after."""
    ones = wrap(np.ones_like(self.narrow(dim, 0, 1)._array))
    joined = cat([ones, self.narrow(dim, 0, self.shape[dim] - 1)], dim).cumprod(dim)
    after = cat([ones, self.narrow(dim, 1, self.shape[dim] - 1).flip(dim)], dim).cumprod(dim).flip(dim)
    return joined * after


@operator(
    order="rows",
    at="internal",
    name="prod",
    formula="Π x",
    saves="result self",
    holomorphic=True,
    self=lambda grad, self, result: product_backward(grad, self, result, None, False),
)
def prod_all(self: Any, dtype: Any = None) -> Any:
    """Multiplies all up; each one's slope is the product of all the others."""
    return multiplied(self, None, False, dtype)


@operator(
    order="rows",
    at="internal",
    name="prod",
    grad_fn="ProdBackward1",
    formula="Π x",
    saves="dim keepdim result self",
    holomorphic=True,
    self=lambda grad, self, result, dim, keepdim: product_backward(grad, self, result, dim, keepdim),
)
def prod_dim(self: Any, dim: int, keepdim: bool = False, dtype: Any = None) -> Any:
    """Multiplies up along a dimension; each one's slope is the product of the others."""
    return multiplied(self, wrap_dims(whole(dim, "dim"), self.ndim), keepdim, dtype)


for _operator in (prod_all, prod_dim):
    _operator.sums_in_any_dtype = True


@overloaded()
def prod(self: Any, dim: Any = UNSET, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Multiplies up all elements, or those along ``dim``."""
    return (prod_all, self, dtype) if dim is UNSET else (prod_dim, self, dim, keepdim, dtype)
