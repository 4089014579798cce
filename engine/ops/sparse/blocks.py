"""BSR and BSC: compressed rows or columns of blocks, small dense matrices that are stored whole."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from engine import placement
from engine.errors import Explained
from engine.ops.sparse.arrays import LAYOUT_NAMES, SparseArray
from engine.ops.sparse.coordinates import Coordinates
from engine.ops.sparse.lines import Lines, starts_of

BlockSize = tuple[int, int]


class Blocks(Lines):
    """A matrix of blocks, row by row (BSR) or column by column (BSC): a place is a block, (rows of a block, columns of a block, …)."""

    @property
    def layout(self) -> placement.layout:  # type: ignore[override]  # others have one layout
        """``torch.sparse_bsr`` or ``torch.sparse_bsc``."""
        return placement.sparse_bsr if self.by_row else placement.sparse_bsc

    @property
    def block_size(self) -> BlockSize:
        """Rows and columns of a block."""
        return self.values.shape[1], self.values.shape[2]

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, stored or not, as PyTorch counts them."""
        return self.size * self.itemsize

    def coordinates(self) -> Coordinates:
        """The same as coordinates, block by block, zeros inside of blocks included."""
        rows, columns = self.block_size
        lines = self.line_numbers()
        block_rows, block_columns = (lines, self.others) if self.by_row else (self.others, lines)
        within = np.indices((rows, columns))
        indices = np.stack(
            [
                (block_rows[:, None, None] * rows + within[0]).ravel(),
                (block_columns[:, None, None] * columns + within[1]).ravel(),
            ]
        )
        return Coordinates(indices, self.values.reshape(-1, *self.dense_shape), self.shape)

    def transposed(self) -> Self:
        """Rows become columns, in every block too."""
        return super().transposed().with_values(self.values.swapaxes(1, 2))


def no_blocks(matrix: Blocks) -> str:
    """What is said by an operator that takes no blocks."""
    return Explained(
        f"unsupported tensor layout: {LAYOUT_NAMES[matrix.layout.name]}",
        "Convert with .to_sparse_coo() or .to_dense() first.",
    )


def in_blocks(matrix: Any, size: BlockSize, by_row: bool) -> Blocks:
    """A dense matrix, or one with places, as the blocks in which something is not 0, or is stored.

    Args:
        matrix: (rows, columns, …), both multiples of the block's.
    """
    if isinstance(matrix, SparseArray):
        places = matrix.coordinates()
        tiles, stored = tiled(places.dense(), size), tiled(stored_places(places), size).any(axis=(2, 3))
    else:
        tiles = tiled(matrix, size)
        stored = (tiles != 0).any(axis=tuple(range(2, tiles.ndim)))
    lines, others = np.nonzero(stored if by_row else stored.T)
    values = tiles[lines, others] if by_row else tiles[others, lines]
    starts = starts_of(lines, stored.shape[0 if by_row else 1])
    return Blocks(starts, others.astype(np.int64), values, matrix.shape, by_row)


def tiled(matrix: np.ndarray, size: BlockSize) -> np.ndarray:
    """(rows, columns, …) as (block rows, block columns, rows of a block, columns of a block, …)."""
    rows, columns, *rest = matrix.shape
    parts = matrix.reshape(rows // size[0], size[0], columns // size[1], size[1], *rest)
    return parts.swapaxes(1, 2)


def stored_places(matrix: Coordinates) -> np.ndarray:
    """Where a matrix stores something, whatever it is."""
    found = np.zeros(matrix.shape[:2], np.bool_)
    found[tuple(matrix.indices)] = True
    return found
