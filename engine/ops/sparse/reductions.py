"""Sums of what is stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import operator
from engine.ops.core.dimension import wrapped_all
from engine.ops.reduction.reduce import sum_all
from engine.ops.sparse.arrays import SparseArray
from engine.ops.sparse.compressed import Compressed
from engine.ops.sparse.coordinates import Coordinates, like
from engine.ops.sparse.kernels import FAMILY, sparse_kernel
from engine.ops.sparse.scaling import at_places
from engine.summation import carrier, summed
from engine.tensor import Tensor


@operator(
    at="internal",
    name="_sparse_sum",
    family=FAMILY,
    formula="Σ x over dimensions",
    saves="dim self",
    self=lambda grad, self, dim: sparse_sum_backward(grad, self, dim),
)
def sum_over(self: Any, dim: Any) -> Any:
    """Adds up along dimensions what is stored; every stored value gets its sum's gradient back, the others nothing."""
    return over(self, dim)


@operator(at="internal", name="_sparse_sum_backward", family=FAMILY, formula="the sum's gradient at x's places")
def sparse_sum_backward(grad: Any, self: Any, dim: Any) -> Any:
    """``_sparse_sum``'s derivative: what arrived for a sum goes to every stored value that went into it; no derivative of its own."""
    self = self.coalesce()
    dims = wrapped_all(dim, self.ndim)
    count = self.sparse_dim
    kept = [d for d in range(count) if d not in dims]
    inside = tuple(d - count for d in dims if d >= count)
    if kept:
        rows = at_places(grad, like(self, indices=self.indices[kept], shape=grad.shape).places())
    else:
        whole = grad.dense() if isinstance(grad, SparseArray) else np.asarray(grad)
        rows = np.broadcast_to(whole, (self.nnz, *whole.shape))
    for axis in sorted(inside):
        rows = np.expand_dims(rows, axis + 1)
    return self.with_values(np.broadcast_to(rows, self.values.shape).copy())


def over(self: Any, dim: Any, keepdim: bool = False) -> Any:
    """Sums along dimensions: sparse if a dimension that is counted is left, dense otherwise."""
    dims, count = wrapped_all(dim, self.ndim), self.sparse_dim
    inside = tuple(d - count + 1 for d in dims if d >= count)
    values = values_summed(self.values, inside, keepdim)
    kept = [d for d in range(count) if d not in dims]
    rest = tuple(n for d, n in enumerate(self.shape) if d not in dims)
    full = tuple(1 if d in dims else n for d, n in enumerate(self.shape))
    if not kept and not keepdim:
        return values_summed(values, (0,), False)
    if len(kept) == count:
        return like(self, values=values, shape=full if keepdim else rest, coalesced=self.coalesced)
    if keepdim:
        indices = np.where(np.isin(np.arange(count), kept)[:, None], self.indices, 0)
        return like(self, indices=indices, values=values, shape=full).coalesce()
    return like(self, indices=self.indices[kept], values=values, shape=rest).coalesce()


def values_summed(values: np.ndarray, axes: tuple[int, ...], keepdim: bool) -> Any:
    """A sum in the values' own dtype, whole numbers in int64."""
    if not axes:
        return values
    target = np.dtype(np.int64) if values.dtype.kind in "biu" else values.dtype
    return summed(values.astype(carrier(target), copy=False), axes, keepdim).astype(target, copy=False)


@sparse_kernel("SumBackward0")
def sum_everything(self: Any, dtype: Any = None) -> Any:
    """All that is stored."""
    return sum_all.kernel(self.values, dtype)


@sparse_kernel("SumBackward1")
def sum_along(self: Any, dim: Any, keepdim: bool = False, dtype: Any = None) -> Any:
    """Along some dimensions.

    Raises:
        RuntimeError: compressed rows or columns, whose sums would have another layout.
    """
    if isinstance(self, Compressed):
        raise RuntimeError(
            f"reduction operations on CSR tensors with keepdim={keepdim} is unsupported: sum {'' if keepdim else 'with keepdim=True '}"
            "of .to_sparse_coo() instead"
        )
    if dtype is not None:
        self = self.astype(dtype.array)
    dims = tuple(range(self.ndim)) if dim is None or dim == () else dim
    return over(self, dims, keepdim)


@sparse_kernel("any")
def any_stored(self: Any, *rest: Any) -> Any:
    """Whether a stored value is not 0."""
    return np.any(self.values)


def sum_of_any(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """``torch.sparse.sum``: of all that is stored, or along dimensions; only stored values get a gradient.

    Raises:
        RuntimeError: a dense tensor.
    """
    if dim is None:
        return input.coalesce().values().sum(dtype=dtype)
    chosen = input if dtype is None else input.to(dtype)
    dims = tuple(dim) if isinstance(dim, list | tuple) else (dim,)
    wrapped_all(dims, input.ndim)
    if not isinstance(input._array, Coordinates):
        return input.coalesce()
    return sum_over(chosen, dims)
