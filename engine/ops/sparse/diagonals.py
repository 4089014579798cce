"""Sparse matrices by their diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.sparse.coordinates import Coordinates
from engine.ops.sparse.tensor import around
from engine.tensor import Tensor


def spdiags(diagonals: Tensor, offsets: Tensor, shape: tuple[int, int], layout: Any = None) -> Tensor:
    """``torch.sparse.spdiags``: row i of ``diagonals`` on the diagonal ``offsets[i]`` of a matrix, counted by column.

    Raises:
        RuntimeError: as many offsets as diagonals are needed, each once.
    """
    rows = np.atleast_2d(diagonals._array)
    where = np.atleast_1d(offsets._array)
    if len(rows) != len(where):
        raise RuntimeError(
            f"Number of diagonals ({len(rows)}) does not match the number of offsets ({len(where)}): give one offset for each row"
        )
    if len(np.unique(where)) != len(where):
        raise RuntimeError("Offset tensor contains duplicate values")
    indices, values = [], []
    for row, offset in zip(rows, where.tolist(), strict=True):
        first = max(0, offset)
        last = min(shape[1], shape[0] + offset, len(row))
        columns = np.arange(first, max(first, last))
        indices.append(np.stack([columns - offset, columns]))
        values.append(row[columns])
    made = around(Coordinates(np.concatenate(indices, axis=1), np.concatenate(values), tuple(shape)))
    return made if layout is None else made.to_sparse(layout=layout)
