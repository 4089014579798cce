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

    def with_values(self, values: np.ndarray) -> Self:
        """The same places with other values."""
        return type(self)(self.starts, self.others, values, self.shape, self.by_row)

    def become(self, other: Self) -> None:
        """Takes over another's places and values, in its own type."""
        values = other.values.astype(self.values.dtype, copy=False)
        self.starts, self.others, self.values = other.starts, other.others, values
