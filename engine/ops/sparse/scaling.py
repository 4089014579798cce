"""Products and quotients element by element: what is not stored on one side is 0 in the result."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.dimension import common_shape
from engine.ops.sparse.arrays import SparseArray
from engine.ops.sparse.blocks import Blocks, no_blocks
from engine.ops.sparse.compressed import NO_LINES, Compressed, compress
from engine.ops.sparse.coordinates import Coordinates, like, nothing
from engine.ops.sparse.kernels import sparse_kernel

MANY_COPIES = 50
"""From this many values per place on, PyTorch adds them up before it looks for common places."""


@sparse_kernel("mul")
def mul(self: Any, other: Any) -> Any:
    """``self · other`` for two sparse tensors, or a sparse and a dense one in either order.

    Raises:
        RuntimeError: sparse tensors of different shapes, or a dense one that does not fit.
    """
    blocks = next((each for each in (self, other) if isinstance(each, Blocks)), None)
    if blocks is not None and all(getattr(each, "ndim", 0) for each in (self, other)):
        raise RuntimeError(no_blocks(blocks))
    if isinstance(self, SparseArray) and isinstance(other, SparseArray):
        if isinstance(self, Compressed) or isinstance(other, Compressed):
            return product_of_lines(self, other)
        assert isinstance(self, Coordinates)
        assert isinstance(other, Coordinates)
        return product(self, other)
    pattern, factor = (self, other) if isinstance(self, SparseArray) else (other, self)
    return scaled(pattern, factor)


@sparse_kernel("div")
def div(self: Any, other: Any, rounding_mode: str | None = None) -> Any:
    """Divides the stored values by a number.

    Raises:
        RuntimeError: a divisor of several numbers, which would have to divide what is not stored.
    """
    if isinstance(self, Compressed):
        raise RuntimeError(NO_LINES)
    if isinstance(other, SparseArray) or getattr(other, "ndim", 0):
        raise RuntimeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{list(other.shape)} for divisor)"
        )
    quotient = np.true_divide(self.values, other)
    if rounding_mode is not None:
        if isinstance(self, Coordinates):
            quotient = np.true_divide((self := self.coalesce()).values, other)
        quotient = {"floor": np.floor, "trunc": np.trunc}[rounding_mode](quotient)
    return self.with_values(quotient.astype(self.dtype, copy=False))


def product(self: Coordinates, other: Coordinates) -> Coordinates:
    """Where both store something, if both are in order; else where the one that is walked through does, times what the other has
    there.

    Raises:
        RuntimeError: different shapes or numbers of sparse dimensions.
    """
    if self.sparse_dim != other.sparse_dim or self.shape != other.shape:
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse "
            "dimensions, and shape of sparse dimensions"
        )
    if not self.nnz or not other.nnz:
        return nothing(self.shape, self.dtype, self.sparse_dim)
    if self.coalesced and other.coalesced:
        mine, others = np.isin(self.places(), other.places()), np.isin(other.places(), self.places())
        values = self.values[mine] * other.values[others]
        return like(self, indices=self.indices[:, mine], values=values, coalesced=True)
    if self.coalesced != other.coalesced:
        searched, walked = (self, other) if self.coalesced else (other, self)
    else:
        searched, walked = (self, other) if self.nnz >= other.nnz else (other, self)
        if searched.nnz // max(1, math.prod(searched.sparse_shape)) > MANY_COPIES:
            searched = searched.coalesce()
    values = walked.values * at_places(searched, walked.places())
    values[~np.isin(walked.places(), searched.places())] = 0
    return like(walked, values=values, coalesced=walked.coalesced)


def at_places(pattern: Coordinates, places: np.ndarray) -> np.ndarray:
    """What a sparse tensor holds at each of these places: (n,) → (n, …), 0 where nothing is stored."""
    pattern = pattern.coalesce()
    if not pattern.nnz:
        return np.zeros((len(places), *pattern.dense_shape), pattern.dtype)
    known = pattern.places()
    where = np.minimum(np.searchsorted(known, places), len(known) - 1)
    found = pattern.values[where]
    found[known[where] != places] = 0
    return found


def scaled(pattern: SparseArray, factor: Any) -> SparseArray:
    """The stored values times the factor's elements at their places."""
    if not getattr(factor, "ndim", 0):
        return pattern.with_values(pattern.values * factor)
    if isinstance(pattern, Compressed):
        return compress(scaled_places(pattern.coordinates(), factor), pattern.by_row)
    assert isinstance(pattern, Coordinates)
    return scaled_places(pattern, factor)


def scaled_places(pattern: Coordinates, factor: np.ndarray) -> Coordinates:
    """The same for coordinates; the factor is broadcast to the sparse tensor's shape, never the other way round.

    Raises:
        RuntimeError: the factor has a larger shape, or one that does not fit.
    """
    try:
        whole = np.broadcast_to(factor, pattern.shape)
    except ValueError:
        common_shape(factor.shape, pattern.shape)  # refuses in PyTorch's words
        raise RuntimeError(
            f"mul: a sparse tensor of shape {list(pattern.shape)} is not broadcast to that of the dense one, "
            f"{list(factor.shape)}: repeat it first, or take .to_dense()"
        ) from None
    return like(pattern, values=pattern.values * whole[tuple(pattern.indices)], coalesced=pattern.coalesced)


def product_of_lines(self: SparseArray, other: SparseArray) -> Compressed:
    """A compressed matrix and a sparse one of any layout: compressed again."""
    lines = self if isinstance(self, Compressed) else other
    assert isinstance(lines, Compressed)
    one, two = self.coordinates(), other.coordinates()
    both = product(one, two)
    shared = np.isin(both.places(), one.places()) & np.isin(both.places(), two.places())
    return compress(like(both, indices=both.indices[:, shared], values=both.values[shared]), lines.by_row)
