"""Resampling as small matrices, one per spatial dimension: every output is a weighted sum of inputs along it.

All kinds of interpolation are such; the gradient goes back through the transposed matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def along(array: Any, matrices: Sequence[np.ndarray]) -> Any:
    """Applies one (out, in) matrix to each of the last dimensions."""
    wide = array.astype(np.float32) if array.dtype.itemsize < 4 and array.dtype.kind in "fV" else array
    result = wide
    lead = array.ndim - len(matrices)
    for d, matrix in enumerate(matrices):
        axis = lead + d
        moved = np.tensordot(result, matrix.astype(result.dtype), (axis, 1))
        result = np.moveaxis(moved, -1, axis)
    return np.ascontiguousarray(result).astype(array.dtype, copy=False)


def regions(size: int, out: int) -> list[tuple[int, int]]:
    """Begin and end of each of ``out`` regions that cover ``size`` elements (they may overlap by one)."""
    return [(i * size // out, -((-(i + 1) * size) // out)) for i in range(out)]
