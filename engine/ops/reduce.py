"""Reductions: many elements become one, over all or some dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.declare import composite, operator
from engine.tensor import Tensor


@operator(at="internal", name="sum", formula="Σ x", self=lambda grad, self_sym_sizes: grad.expand(self_sym_sizes))
def sum_all(self: Any, dtype: Any = None) -> Any:
    """Adds up; every element that went in gets the same gradient back."""
    return np.sum(self, dtype=sum_dtype(self, dtype))


@operator(
    at="internal",
    name="sum",
    grad_fn="SumBackward1",
    formula="Σ x",
    self=lambda grad, self_sym_sizes, dim, keepdim: spread_back(grad, self_sym_sizes, dim, keepdim),
)
def sum_dims(self: Any, dim: Any, keepdim: bool = False, dtype: Any = None) -> Any:
    """Adds up along dimensions; every element that went in gets its sum's gradient back."""
    axes = None if dim is None or dim == () or dim == [] else tuple(dim) if isinstance(dim, list | tuple) else dim
    return np.sum(self, axis=axes, keepdims=keepdim, dtype=sum_dtype(self, dtype))


def sum_dtype(array: Any, dtype: Any) -> Any:
    """Sums of integers and booleans are int64."""
    if dtype is not None:
        return dtype.array
    return np.int64 if array.dtype.kind in "biu" else array.dtype


def spread_back(grad: Tensor, shape: Any, dim: Any, keepdim: bool) -> Tensor:
    """A reduction's gradient, repeated over the dimensions it had summed."""
    if not keepdim and len(shape):
        dims = range(len(shape)) if dim is None or dim == () or dim == [] else dim if isinstance(dim, list | tuple) else [dim]
        for d in sorted(d % len(shape) for d in dims):
            grad = grad.unsqueeze(d)
    return grad.expand(shape)


@composite()
def sum(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtypes.dtype | None = None, axis: Any = None) -> Tensor:
    """Adds up all elements, or those along ``dim``."""
    dim = axis if dim is None else dim
    if dim is None and not keepdim:
        return sum_all(self, dtype)  # type: ignore[no-any-return]
    return sum_dims(self, dim, keepdim, dtype)  # type: ignore[no-any-return]


@operator(at="internal", name="mean", formula="(Σ x) / n", self=lambda grad, self_sym_sizes, self_numel: grad.expand(self_sym_sizes) / self_numel)
def mean_all(self: Any, dtype: Any = None) -> Any:
    """The average; every element gets an equal part of the gradient."""
    return np.mean(self, dtype=None if dtype is None else dtype.array)


@composite()
def mean(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """The average of all elements."""
    return mean_all(self, dtype)  # type: ignore[no-any-return]
