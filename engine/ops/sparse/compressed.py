"""CSR and CSC: the coordinates of one dimension shortened to where each row (or column) begins."""

from __future__ import annotations

import numpy as np

from engine import placement
from engine.errors import Explained
from engine.ops.sparse.coordinates import Coordinates
from engine.ops.sparse.lines import Lines, starts_of

NO_LINES = Explained(
    "unsupported tensor layout: SparseCsr", "Convert with .to_sparse_coo() first, which this operator takes."
)


class Compressed(Lines):
    """A matrix row by row (CSR) or column by column (CSC): a place is one element, or all that is dense there."""

    @property
    def layout(self) -> placement.layout:  # type: ignore[override]  # others have one layout
        """``torch.sparse_csr`` or ``torch.sparse_csc``."""
        return placement.sparse_csr if self.by_row else placement.sparse_csc

    @property
    def nbytes(self) -> int:
        """Bytes of places and values."""
        return self.starts.nbytes + self.others.nbytes + self.values.nbytes

    def coordinates(self) -> Coordinates:
        """The same as coordinates, line by line: in order only if the lines are rows."""
        lines = self.line_numbers()
        indices = np.stack([lines, self.others] if self.by_row else [self.others, lines])
        return Coordinates(indices, self.values, self.shape, coalesced=self.by_row)


def compress(matrix: Coordinates, by_row: bool) -> Compressed:
    """A matrix of coordinates line by line; places that occur several times are added up first.

    Raises:
        RuntimeError: for anything but two dimensions that are counted.
    """
    matrix = matrix.coalesce()
    lines, others = matrix.indices if by_row else matrix.indices[::-1]
    values = matrix.values
    if not by_row:
        order = np.lexsort((others, lines))
        lines, others, values = lines[order], others[order], values[order]
    starts = starts_of(lines, matrix.shape[0 if by_row else 1])
    return Compressed(starts, others, values, matrix.shape, by_row)
