"""COO: every stored value with its coordinates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import placement
from engine.ops.sparse.arrays import SparseArray


class Coordinates(SparseArray):
    """Values and where they stand; a place may occur several times, its values then add up.

    Attributes:
        indices: (sparse_dim, nnz) whole numbers: a column is one place.
        values: (nnz, …); what follows are the dense dimensions.
        coalesced: whether every place occurs once, in order.
    """

    layout = placement.sparse_coo
    backend = "SparseCPU"

    def __init__(self, indices: np.ndarray, values: np.ndarray, shape: tuple[int, ...], coalesced: bool = False):
        self.indices, self.values, self.shape = indices, values, tuple(shape)
        self.coalesced = coalesced or indices.shape[1] < 2  # a lone place is in order

    @property
    def nnz(self) -> int:
        """How many values are stored."""
        return self.indices.shape[1]

    @property
    def sparse_dim(self) -> int:
        """How many dimensions the coordinates count."""
        return self.indices.shape[0]

    @property
    def sparse_shape(self) -> tuple[int, ...]:
        """Lengths of the dimensions that the coordinates count."""
        return self.shape[: self.sparse_dim]

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """Lengths of the dimensions that are stored whole at each place."""
        return self.shape[self.sparse_dim :]

    @property
    def nbytes(self) -> int:
        """Bytes of places and values."""
        return self.indices.nbytes + self.values.nbytes

    def coordinates(self) -> Coordinates:
        """Itself."""
        return self

    def places(self) -> np.ndarray:
        """Each place as one number, counted row by row."""
        return flat_places(self.indices, self.sparse_shape)

    def with_values(self, values: np.ndarray) -> Coordinates:
        """The same places with other values."""
        return like(self, values=values, coalesced=self.coalesced)

    def become(self, other: Coordinates) -> None:
        """Takes over another's places and values, in its own type."""
        values = other.values.astype(self.values.dtype, copy=False)
        self.indices, self.values, self.coalesced = other.indices, values, other.coalesced

    def coalesce(self) -> Coordinates:
        """Every place once, in order; itself if that is so already."""
        if self.coalesced:
            return self
        if self.nnz < 2:
            return like(self, coalesced=True)
        places = self.places()
        order = np.argsort(places, kind="stable")
        ordered = places[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        return Coordinates(
            self.indices[:, order[starts]], summed_groups(self.values[order], starts), self.shape, coalesced=True
        )

    def dense(self) -> np.ndarray:
        """All elements."""
        count = math.prod(self.sparse_shape)
        whole = np.zeros((count, *self.dense_shape), self.dtype)
        np.add.at(whole, self.places(), self.values)
        return whole.reshape(self.shape)


def flat_places(indices: np.ndarray, lengths: tuple[int, ...]) -> np.ndarray:
    """Columns of coordinates as numbers: (d, n) → (n,)."""
    places = np.zeros(indices.shape[1], np.int64)
    for row, length in zip(indices, lengths, strict=True):
        places = places * length + row
    return places


def coordinates_of(places: np.ndarray, lengths: tuple[int, ...]) -> np.ndarray:
    """The inverse of `flat_places`: (n,) → (d, n)."""
    if not lengths:
        return np.zeros((0, places.shape[0]), np.int64)
    return np.array(np.unravel_index(places, lengths), np.int64).reshape(len(lengths), -1)


def summed_groups(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Sums of consecutive rows, one after the other as PyTorch adds them; each group begins at one of ``starts``."""
    if values.dtype.kind == "b":
        return np.logical_or.reduceat(values, starts, axis=0)
    groups = np.zeros(values.shape[0], np.int64)
    groups[starts] = 1
    sums = np.zeros((starts.shape[0], *values.shape[1:]), values.dtype)
    np.add.at(sums, np.cumsum(groups) - 1, values)
    return sums


def like(pattern: Coordinates, **changed: Any) -> Coordinates:
    """A copy with some attributes changed; in order only if that is said of it."""
    made = Coordinates(**{"indices": pattern.indices, "values": pattern.values, "shape": pattern.shape, **changed})
    made.coalesced = changed.get("coalesced", made.coalesced)
    return made


def nothing(shape: tuple[int, ...], dtype: Any, sparse_dim: int) -> Coordinates:
    """No value stored at all."""
    return Coordinates(
        np.zeros((sparse_dim, 0), np.int64), np.zeros((0, *shape[sparse_dim:]), dtype), shape, coalesced=True
    )


def from_dense(whole: np.ndarray, sparse_dim: int) -> Coordinates:
    """An array's places that are not all 0, counted along its first dimensions: in row order, each once."""
    if not sparse_dim:
        return Coordinates(np.zeros((0, 1), np.int64), whole.reshape(1, *whole.shape), whole.shape, coalesced=True)
    rest = tuple(range(sparse_dim, whole.ndim))
    indices = np.nonzero((whole != 0).any(axis=rest) if rest else whole != 0)
    return Coordinates(np.stack(indices).astype(np.int64), whole[indices], whole.shape, coalesced=True)
