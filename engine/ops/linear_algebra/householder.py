"""QR of small float32 matrices to the last bit: LAPACK's unblocked Householder algorithm, addition by addition.

PyTorch's library runs it for at most `SMALLEST_BLOCKED` - 1 rows and columns, every sum from the first row to the last
and rounded after each step. `orthogonal_` starts many models, so what a seed gives must not differ in the last digit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SMALLEST_BLOCKED = 21
"""Rows or columns from which PyTorch's library works in blocks, in an order of its own."""
ONE = np.float32(1)


def runs_unblocked(matrices: Any) -> bool:
    """Whether PyTorch would factorise these row by row."""
    return matrices.dtype == np.float32 and max(matrices.shape[-2:]) < SMALLEST_BLOCKED


def factorise(matrices: Any) -> tuple[Any, Any]:
    """``(…, m, n)`` → packed reflections with R above them, and their factors ``(…, min(m, n))`` (LAPACK ``sgeqr2``)."""
    packed = np.array(matrices)
    rows, columns = packed.shape[-2:]
    factors = np.zeros((*packed.shape[:-2], min(rows, columns)), np.float32)
    for index in np.ndindex(packed.shape[:-2]):
        for step in range(min(rows, columns)):
            factors[(*index, step)] = _eliminate(packed[index], step)
    return packed, factors


def orthonormal_columns(packed: Any, factors: Any, columns: int) -> Any:
    """The first ``columns`` columns of the product of the reflections (LAPACK ``sorg2r``)."""
    rows, count = packed.shape[-2], factors.shape[-1]
    result = np.broadcast_to(np.eye(rows, columns, dtype=np.float32), (*packed.shape[:-2], rows, columns)).copy()
    for index in np.ndindex(packed.shape[:-2]):
        for step in reversed(range(count)):
            vector, factor = _direction(packed[index], step), factors[(*index, step)]
            matrix = result[index]
            _reflect(matrix[step:, step + 1 :], vector, factor)
            matrix[step:, step] = -factor * vector
            matrix[step, step] = ONE - factor
    return result


def qr(matrices: Any, mode: str) -> tuple[Any, Any]:
    """Q and R; ``mode`` is ``reduced``, ``complete`` or ``r`` (Q is empty then)."""
    packed, factors = factorise(matrices)
    rows, columns = packed.shape[-2:]
    kept = rows if mode == "complete" else min(rows, columns)
    q = np.empty(0, np.float32) if mode == "r" else orthonormal_columns(packed, factors, kept)
    return q, np.triu(packed[..., :kept, :])


def _eliminate(matrix: Any, step: int) -> Any:
    """Clears column ``step`` below the diagonal, in place; returns the reflection's factor (LAPACK ``slarfg``)."""
    column = matrix[step:, step]
    below = _length(column[1:])
    if not below:
        return np.float32(0)
    head = column[0]
    diagonal = -np.copysign(_hypotenuse(head, below), head)
    factor = (diagonal - head) / diagonal
    column[1:] /= head - diagonal
    column[0] = diagonal
    _reflect(matrix[step:, step + 1 :], _direction(matrix, step), factor)
    return factor


def _direction(matrix: Any, step: int) -> Any:
    """The vector of reflection ``step``, from the diagonal down: one, then what is stored below it."""
    vector = matrix[step:, step].copy()
    vector[0] = 1
    return vector


def _reflect(matrix: Any, vector: Any, factor: Any) -> None:
    """``M - v·(τ·vᵀM)`` in place. numpy adds along the first axis row by row, as the library does."""
    if matrix.size:
        matrix -= vector[:, None] * (factor * np.add.reduce(vector[:, None] * matrix, axis=0))


def _length(column: Any) -> Any:
    """Euclidean length, scaled by the largest element so far against overflow (LAPACK ``snrm2``)."""
    scale, total = np.float32(0), ONE
    for element in map(abs, column):
        if scale < element:
            ratio = scale / element
            total = ONE + (total * ratio) * ratio
            scale = element
        elif element:
            ratio = element / scale
            total += ratio * ratio
    return scale * np.sqrt(total) if math.isfinite(scale) else scale


def _hypotenuse(a: Any, b: Any) -> Any:
    """``√(a² + b²)`` without overflow (LAPACK ``slapy2``)."""
    larger, smaller = max(abs(a), abs(b)), min(abs(a), abs(b))
    ratio = smaller / larger
    return larger * np.sqrt(ONE + ratio * ratio)
