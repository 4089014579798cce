"""Sums and differences: of sparse tensors place by place, of a dense tensor and a sparse one wherever something is stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.sparse.arrays import SparseArray
from engine.ops.sparse.blocks import Blocks, in_blocks
from engine.ops.sparse.compressed import NO_LINES, Compressed, compress
from engine.ops.sparse.coordinates import Coordinates, like
from engine.ops.sparse.kernels import sparse_kernel

NO_BLOCKS = (
    "src.layout() == kSparseCsr || src.layout() == kSparseCsc INTERNAL ASSERT FAILED: a matrix of blocks is not added to a dense one.\n\n"
    "Convert it with .to_dense() first."
)
SPARSE_FIRST = "add(sparse, dense) is not supported. Use add(dense, sparse) instead."


@sparse_kernel("add")
def add(self: Any, other: Any, alpha: Any = 1) -> Any:
    """``self + alpha · other``.

    Raises:
        RuntimeError: a dense second operand, or shapes that differ (nothing is broadcast).
    """
    if not isinstance(other, SparseArray):
        if isinstance(self, Compressed | Blocks) and getattr(other, "ndim", 0):
            return added_to_dense(other * alpha if alpha != 1 else other, self)
        raise RuntimeError(SPARSE_FIRST)
    if alpha != 1:
        other = other.with_values((other.values * other.values.dtype.type(alpha)).astype(other.dtype, copy=False))
    if not isinstance(self, SparseArray):
        return added_to_dense(self, other)
    if self.shape != other.shape:
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {list(self.shape)} != {list(other.shape)}"
        )
    if isinstance(self, Blocks) or isinstance(other, Blocks):
        return added_blocks(self, other)
    if isinstance(self, Compressed) or isinstance(other, Compressed):
        return added_lines(self, other)
    assert isinstance(self, Coordinates)
    assert isinstance(other, Coordinates)
    return added(self, other)


@sparse_kernel("sub")
def sub(self: Any, other: Any, alpha: Any = 1) -> Any:
    """``self − alpha · other``: an addition to PyTorch, errors included.

    Raises:
        RuntimeError: a compressed layout.
    """
    if isinstance(self, Compressed) or isinstance(other, Compressed):
        raise RuntimeError(NO_LINES)
    return add(self, other, -alpha)


def added_blocks(self: Any, other: Any) -> Blocks:
    """The sum of two matrices of equal blocks.

    Raises:
        RuntimeError: other blocks, or none.
    """
    if not (isinstance(self, Blocks) and isinstance(other, Blocks) and self.layout is other.layout):
        raise RuntimeError("add: two matrices of blocks must have one layout here: convert one of them")
    if self.block_size != other.block_size:
        raise RuntimeError("add: two matrices of blocks must have blocks of one size here: convert one of them")
    return in_blocks(added(self.coordinates(), other.coordinates()), self.block_size, self.by_row)


def added_to_dense(self: Any, other: SparseArray) -> Any:
    """A dense array with the stored values added at their places.

    Raises:
        RuntimeError: different shapes, or a matrix of blocks.
    """
    if isinstance(other, Blocks):
        raise RuntimeError(NO_BLOCKS)
    if self.shape != other.shape:
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same size, but self has size {list(self.shape)} while other has size "
            f"{list(other.shape)} (FYI: dense-sparse addition does not currently support broadcasting)"
        )
    if isinstance(other, Compressed):
        other = other.coordinates()
    assert isinstance(other, Coordinates)
    whole = np.array(self, order="C").reshape(-1, *other.dense_shape)
    np.add.at(whole, other.places(), other.values)
    return whole.reshape(other.shape)


def added(self: Coordinates, other: Coordinates) -> Coordinates:
    """Both lists of places, merged where both are stored in memory order, else one after the other, as in PyTorch.

    Raises:
        RuntimeError: different numbers of sparse dimensions.
    """
    if self.sparse_dim != other.sparse_dim:
        raise RuntimeError(
            "add: expected 'self' and 'other' to have same number of sparse dimensions, but self has "
            f"{self.sparse_dim} sparse dimension(s) while other has {other.sparse_dim} sparse dimension(s)"
        )
    if not other.nnz:
        return self.copy()
    if not self.nnz:
        return other.copy()
    if not (self.values.flags.c_contiguous and other.values.flags.c_contiguous):
        both = like(
            self,
            indices=np.concatenate((self.indices, other.indices), axis=1),
            values=np.concatenate((self.values, other.values)),
        )
        if both.nnz > both.size:
            compact = both.coalesce()
            both = like(both, indices=compact.indices, values=compact.values)
        return both
    one, two = merged(self.places(), other.places())
    count = max(one.max(initial=-1), two.max(initial=-1)) + 1
    indices = np.zeros((self.sparse_dim, count), np.int64)
    indices[:, two], indices[:, one] = other.indices, self.indices
    values = np.zeros((count, *self.dense_shape), self.dtype)
    values[one] += self.values
    values[two] += other.values
    return like(self, indices=indices, values=values, coalesced=self.coalesced and other.coalesced)


def merged(one: np.ndarray, two: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each of two lists of places goes when they are walked through side by side, the smaller place first.

    Lists in order become one list in order; others are merged as far as they go, and may hold a place twice afterwards.
    """
    if (np.diff(one) > 0).all() and (np.diff(two) > 0).all():
        every = np.union1d(one, two)
        return np.searchsorted(every, one), np.searchsorted(every, two)
    first, second = np.empty(len(one), np.int64), np.empty(len(two), np.int64)
    i = j = place = 0
    while i < len(one) or j < len(two):
        take_one = j == len(two) or (i < len(one) and one[i] <= two[j])
        take_two = i == len(one) or (j < len(two) and two[j] <= one[i])
        if take_one:
            first[i] = place
            i += 1
        if take_two:
            second[j] = place
            j += 1
        place += 1
    return first, second


def in_either_order(one: Any, other: Any) -> Any:
    """The sum of two gradients: what came first is added to what comes second, if it is sparse."""
    return add(other, one) if isinstance(one, SparseArray) else add(one, other)


SparseArray.plus = staticmethod(in_either_order)


def added_lines(self: SparseArray, other: SparseArray) -> Compressed:
    """Two compressed matrices of one layout.

    Raises:
        RuntimeError: different layouts.
    """
    if not isinstance(self, Compressed) or not isinstance(other, Compressed) or self.by_row != other.by_row:
        raise RuntimeError(
            f"add: two sparse tensors must have one layout, but self has {self.layout} and other {other.layout}: convert "
            "one of them first"
        )
    return compress(added(self.coordinates(), other.coordinates()), self.by_row)
