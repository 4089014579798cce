"""Sparse tensors rearranged, cut and joined: the coordinates change, the values stay."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.errors import Explained
from engine.ops.core.dimension import wrapped
from engine.ops.sparse.arrays import SparseArray
from engine.ops.sparse.compressed import Compressed
from engine.ops.sparse.coordinates import Coordinates, like
from engine.ops.sparse.kernels import sparse_kernel
from engine.ops.sparse.lines import Lines


@sparse_kernel("t")
def t(self: SparseArray) -> Any:
    """Swaps rows and columns.

    Raises:
        RuntimeError: more than two dimensions, or dense ones.
    """
    if isinstance(self, Lines):
        return self.transposed()
    assert isinstance(self, Coordinates)
    dense = self.ndim - self.sparse_dim
    if self.sparse_dim > 2 or dense:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {self.sparse_dim} sparse and {dense} "
            "dense dimensions"
        )
    return permuted(self, tuple(reversed(range(self.ndim))))


@sparse_kernel("transpose")
def transpose(self: SparseArray, dim0: int, dim1: int) -> Any:
    """Swaps two dimensions.

    Raises:
        RuntimeError: a sparse dimension with a dense one.
    """
    first, second = wrapped(dim0, self.ndim), wrapped(dim1, self.ndim)
    if isinstance(self, Lines):
        return self if first == second else self.transposed()
    if min(first, second) < self.sparse_dim <= max(first, second):
        raise RuntimeError(
            f"sparse transpose: transposed dimensions must be sparse Got sparse_dim: {self.sparse_dim}, d0: {first}, d1: {second}"
        )
    order = list(range(self.ndim))
    order[first], order[second] = second, first
    return permuted(self, tuple(order))


@sparse_kernel("permute")
def permute(self: SparseArray, dims: Any) -> Any:
    """Puts the dimensions in another order."""
    order = tuple(wrapped(d, self.ndim) for d in dims)
    if isinstance(self, Compressed):
        return self if order == (0, 1) else self.transposed()
    return permuted(self, order)


def permuted(self: Any, order: tuple[int, ...]) -> Coordinates:
    """Sparse dimensions among themselves, dense ones among themselves.

    Raises:
        RuntimeError: a sparse dimension would change places with a dense one.
    """
    count = self.sparse_dim
    if any(dim >= count for dim in order[:count]):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed."
            "Only transpositions within sparse and dense dimensions are supported. "
            f"The first {count} dimension(s) are sparse here."
        )
    return like(
        self,
        indices=self.indices[list(order[:count])],
        values=self.values.transpose(0, *(dim - count + 1 for dim in order[count:])),
        shape=tuple(self.shape[dim] for dim in order),
        coalesced=not self.nnz or (self.coalesced and order[:count] == tuple(range(count))),
    )


@sparse_kernel("unsqueeze")
def unsqueeze(self: Any, dim: int) -> Any:
    """A dimension of length one more.

    Raises:
        RuntimeError: a compressed layout.
    """
    if isinstance(self, Compressed):
        raise RuntimeError(
            Explained(
                "Sparse CSR tensors do not have strides",
                "Convert with .to_sparse_coo() first, which can get a dimension.",
            )
        )
    dim = wrapped(dim, self.ndim + 1)
    shape = (*self.shape[:dim], 1, *self.shape[dim:])
    if dim <= self.sparse_dim:
        return like(self, indices=np.insert(self.indices, dim, 0, axis=0), shape=shape, coalesced=self.coalesced)
    values = np.expand_dims(self.values, dim - self.sparse_dim + 1)
    return like(self, values=values, shape=shape, coalesced=self.coalesced)


@sparse_kernel("select")
def select(self: Any, dim: int, index: int) -> Any:
    """One slice along a dimension; a number's worth of it is dense.

    Raises:
        IndexError: no such slice.
    """
    dim, length = wrapped(dim, self.ndim), self.shape[wrapped(dim, self.ndim)]
    if not -length <= index < length:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {dim}"
        )
    index += length if index < 0 else 0
    self = self.coordinates()
    rest = self.shape[:dim] + self.shape[dim + 1 :]
    if dim >= self.sparse_dim:
        return like(
            self, values=self.values.take(index, dim - self.sparse_dim + 1), shape=rest, coalesced=self.coalesced
        )
    kept = self.indices[dim] == index
    if self.sparse_dim == 1:
        return self.values[kept].sum(axis=0, dtype=self.dtype)
    return like(
        self,
        indices=np.delete(self.indices, dim, axis=0)[:, kept],
        values=self.values[kept],
        shape=rest,
        coalesced=self.coalesced,
    )


@sparse_kernel("unbind")
def unbind(self: Any, dim: int = 0) -> Any:
    """All slices along a dimension."""
    return tuple(select(self, dim, index) for index in range(self.shape[wrapped(dim, self.ndim)]))


@sparse_kernel("narrow_copy")
def narrow_copy(self: Any, dim: int, start: int, length: int) -> Any:
    """``length`` slices along a dimension, from ``start`` on.

    Raises:
        RuntimeError: no such dimension, or slices outside.
    """
    if not 0 <= dim < self.ndim:
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {self.ndim}.")
    if not (0 <= start <= start + length <= self.shape[dim]):
        raise RuntimeError(
            f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, {self.shape[dim]})."
        )
    if isinstance(self, Compressed):
        raise RuntimeError(
            Explained(
                "Sparse CSR tensors do not have strides", "Convert with .to_sparse_coo() first, which can be cut."
            )
        )
    shape = (*self.shape[:dim], length, *self.shape[dim + 1 :])
    if dim >= self.sparse_dim:
        values = self.values.take(range(start, start + length), dim - self.sparse_dim + 1)
        return like(self, values=values, shape=shape, coalesced=self.coalesced)
    kept = (self.indices[dim] >= start) & (self.indices[dim] < start + length)
    indices = self.indices[:, kept]
    indices[dim] -= start
    return like(self, indices=indices, values=self.values[kept], shape=shape, coalesced=self.coalesced)


@sparse_kernel("index_select")
def index_select(self: Any, dim: int, index: np.ndarray) -> Any:
    """The slices with these numbers, in their order.

    Raises:
        IndexError: an index outside.
    """
    dim, wanted = wrapped(dim, self.ndim), np.atleast_1d(index)
    length = self.shape[dim]
    if ((wanted < -length) | (wanted >= length)).any():
        raise IndexError(f"index_select(): index out of range for tensor of size {list(self.shape)} at dimension {dim}")
    wanted = wanted % max(length, 1)
    shape = (*self.shape[:dim], len(wanted), *self.shape[dim + 1 :])
    if dim >= self.sparse_dim:
        values = self.values.take(wanted, dim - self.sparse_dim + 1)
        return like(self, values=values, shape=shape, coalesced=self.coalesced)
    pieces = [np.flatnonzero(self.indices[dim] == number) for number in wanted]
    taken = np.concatenate(pieces) if pieces else np.zeros(0, np.int64)
    indices = self.indices[:, taken]
    indices[dim] = np.repeat(np.arange(len(wanted)), [len(piece) for piece in pieces])
    return like(self, indices=indices, values=self.values[taken], shape=shape)


@sparse_kernel("cat")
def cat(tensors: Any, dim: int = 0) -> Any:
    """One after the other along a dimension.

    Raises:
        RuntimeError: a dense tensor among them.
    """
    for position, tensor in enumerate(tensors):
        if not isinstance(tensor, Coordinates):
            raise RuntimeError(
                f"Concatenating sparse tensors, but a dense tensor was found at position {position}. Convert it with .to_sparse()."
            )
    first, dim = tensors[0], wrapped(dim, tensors[0].ndim)
    for position, tensor in enumerate(tensors):
        if tensor.shape[:dim] != first.shape[:dim] or tensor.shape[dim + 1 :] != first.shape[dim + 1 :]:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected {list(first.shape)} but got "
                f"{list(tensor.shape)} for tensor number {position} in the list."
            )
    starts = np.cumsum([0, *(tensor.shape[dim] for tensor in tensors)])
    shape = (*first.shape[:dim], int(starts[-1]), *first.shape[dim + 1 :])
    if dim >= first.sparse_dim:
        return in_own_columns(tensors, dim, starts, shape)
    moved = []
    for tensor, start in zip(tensors, starts[:-1], strict=True):
        indices = tensor.indices.copy()
        indices[dim] += start
        moved.append(indices)
    values = np.concatenate([tensor.values for tensor in tensors])
    return Coordinates(np.concatenate(moved, axis=1), values, shape)


def in_own_columns(tensors: Any, dim: int, starts: np.ndarray, shape: tuple[int, ...]) -> Coordinates:
    """Joined along a dense dimension: every place keeps zeros where the other tensors stand."""
    axis = dim - tensors[0].sparse_dim + 1
    parts = []
    for tensor, start in zip(tensors, starts[:-1], strict=True):
        beside = [(0, 0)] * tensor.values.ndim
        beside[axis] = (int(start), int(starts[-1] - start - tensor.shape[dim]))
        parts.append(np.pad(tensor.values, beside))
    return Coordinates(np.concatenate([tensor.indices for tensor in tensors], axis=1), np.concatenate(parts), shape)


@sparse_kernel("stack")
def stack(tensors: Any, dim: int = 0) -> Any:
    """One after the other along a new dimension."""
    return cat([unsqueeze(tensor, dim) for tensor in tensors], dim)
