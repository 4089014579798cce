"""Systems of two equations, rounded step by step as PyTorch's LAPACK rounds them, to the last bit.

Elimination with the larger pivot; back substitution multiplies by the pivots' reciprocals. Nothing is fused. Read off PyTorch
2.13.0: of random systems all agree, in float32 and float64; from three equations on MKL goes in blocks of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def solved(matrix: Any, right: Any) -> Any:
    """``A⁻¹ B`` for matrices (…, 2, 2) and right sides (…, 2, columns) of one dtype."""
    swapped = (np.abs(matrix[..., 0, 0]) < np.abs(matrix[..., 1, 0]))[..., None, None]
    a = np.where(swapped, matrix[..., ::-1, :], matrix)
    b = np.where(swapped, right[..., ::-1, :], right)
    top, bottom = a[..., :1, :], a[..., 1:, :]
    factor = bottom[..., :1] / top[..., :1]
    pivot = bottom[..., 1:] - factor * top[..., 1:]
    one = matrix.dtype.type(1)
    second = (b[..., 1:, :] - factor * b[..., :1, :]) * (one / pivot)
    first = (b[..., :1, :] - top[..., 1:] * second) * (one / top[..., :1])
    return np.concatenate([first, second], axis=-2)


def determinant(matrix: Any) -> Any:
    """``det A`` for real matrices (…, 2, 2): the pivots of A's transpose where A lies row by row, else of A itself, as in PyTorch."""
    across, down = (
        (matrix[..., 0, 1], matrix[..., 1, 0]) if matrix.flags.c_contiguous else (matrix[..., 1, 0], matrix[..., 0, 1])
    )
    first, last = matrix[..., 0, 0], matrix[..., 1, 1]
    swapped = np.abs(first) < np.abs(across)
    pivot, below = np.where(swapped, across, first), np.where(swapped, first, across)
    beside, corner = np.where(swapped, last, down), np.where(swapped, down, last)
    with np.errstate(all="ignore"):
        product = pivot * (corner - below / np.where(pivot == 0, pivot.dtype.type(1), pivot) * beside)
    return np.where(swapped, -product, product)
