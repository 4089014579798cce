"""What CSR, CSC, BSR and BSC have in common: the coordinates of one dimension shortened to where each row (or column) begins."""

from __future__ import annotations

from typing import Self

import numpy as np

from engine.ops.sparse.arrays import SparseArray


class Lines(SparseArray):
    """A matrix line by line.

    Attributes:
        starts: (lines + 1,): what line i stores are the places from ``starts[i]`` up to ``starts[i + 1]``.
        others: (nnz,): where each place lies across the lines.
        values: (nnz, …).
        by_row: whether the lines are rows.
    """

    backend = "SparseCsrCPU"
    sparse_dim = 2
    coalesced = True

    def __init__(
        self, starts: np.ndarray, others: np.ndarray, values: np.ndarray, shape: tuple[int, ...], by_row: bool
    ):
        self.starts, self.others, self.values, self.shape, self.by_row = starts, others, values, tuple(shape), by_row

    @property
    def nnz(self) -> int:
        """How many places there are."""
        return self.others.shape[0]

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """Lengths of the dimensions that are stored whole at each place."""
        return self.shape[2:]

    def line_numbers(self) -> np.ndarray:
        """The line of each place: (nnz,)."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def dense(self) -> np.ndarray:
        """All elements."""
        return self.coordinates().dense()

    def transposed(self) -> Self:
        """Rows become columns; nothing is moved."""
        shape = (self.shape[1], self.shape[0], *self.shape[2:])
        return type(self)(self.starts, self.others, self.values, shape, not self.by_row)

    def with_values(self, values: np.ndarray) -> Self:
        """The same places with other values."""
        return type(self)(self.starts, self.others, values, self.shape, self.by_row)

    def become(self, other: Self) -> None:
        """Takes over another's places and values, in its own type."""
        values = other.values.astype(self.values.dtype, copy=False)
        self.starts, self.others, self.values = other.starts, other.others, values


def starts_of(lines: np.ndarray, count: int) -> np.ndarray:
    """Where each of ``count`` lines begins, for places whose lines are these, in order: (nnz,) → (count + 1,)."""
    return np.concatenate(([0], np.cumsum(np.bincount(lines, minlength=count)))).astype(np.int64)
