"""Resampling as small matrices, one per spatial dimension: every output is a weighted sum of inputs along it.

All kinds of interpolation are such; the gradient goes back through the transposed matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

CUBIC = -0.75
"""The free parameter of the cubic kernel (Keys 1981), as PyTorch chooses it."""
CUBIC_ANTIALIAS = -0.5
"""The same where shrinking is smoothed."""


def along(array: Any, matrices: Sequence[np.ndarray]) -> Any:
    """Applies one (out, in) matrix to each of the last dimensions."""
    result = array.astype(np.float32) if array.dtype.itemsize < 4 and array.dtype.kind in "fV" else array
    lead = array.ndim - len(matrices)
    for d, matrix in enumerate(matrices):
        axis = lead + d
        moved = np.tensordot(result, matrix.astype(result.dtype), (axis, 1))
        result = np.moveaxis(moved, -1, axis)
    return np.ascontiguousarray(result).astype(array.dtype, copy=False)


def ratio(size: int, out: int, align_corners: bool, scale: float | None) -> float:
    """Input steps per output step."""
    if align_corners:
        return (size - 1) / (out - 1) if out > 1 else 0.0
    return 1 / scale if scale is not None and scale > 0 else size / out


def nearest_matrix(size: int, out: int, scale: float | None, exact: bool) -> np.ndarray:
    """Picks one input per output."""
    step = np.float32(ratio(size, out, False, scale))
    places = np.arange(out, dtype=np.float32)
    chosen = np.minimum(
        np.floor((places + np.float32(0.5)) * step if exact else places * step).astype(np.int64), size - 1
    )
    matrix = np.zeros((out, size))
    matrix[np.arange(out), chosen] = 1
    return matrix


def linear_matrix(size: int, out: int, scale: float | None, align_corners: bool) -> np.ndarray:
    """Weighs the two nearest inputs by distance."""
    step = ratio(size, out, align_corners, scale)
    places = np.arange(out)
    real = places * step if align_corners else np.maximum((places + 0.5) * step - 0.5, 0)
    low = np.minimum(np.floor(real).astype(np.int64), size - 1)
    high = np.minimum(low + 1, size - 1)
    part = np.clip(real - low, 0, 1)
    matrix = np.zeros((out, size))
    np.add.at(matrix, (places, low), 1 - part)
    np.add.at(matrix, (places, high), part)
    return matrix


def cubic_weight(distance: np.ndarray, a: float) -> np.ndarray:
    """The cubic convolution kernel."""
    x = np.abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


def cubic_matrix(size: int, out: int, scale: float | None, align_corners: bool) -> np.ndarray:
    """Weighs the four nearest inputs; beyond the border the border counts."""
    step = ratio(size, out, align_corners, scale)
    places = np.arange(out)
    real = places * step if align_corners else (places + 0.5) * step - 0.5
    low = np.floor(real).astype(np.int64)
    matrix = np.zeros((out, size))
    for offset in range(-1, 3):
        weight = cubic_weight(real - (low + offset), CUBIC)
        np.add.at(matrix, (places, np.clip(low + offset, 0, size - 1)), weight)
    return matrix


def smooth_matrix(size: int, out: int, scale: float | None, align_corners: bool, cubic: bool) -> np.ndarray:
    """Antialiased: when shrinking, the kernel is widened so that every input counts."""
    step = ratio(size, out, align_corners, scale)
    width = max(step, 1.0)
    support = (4 if cubic else 2) * 0.5 * width
    matrix = np.zeros((out, size))
    for i in range(out):
        centre = step * (i + 0.5)
        begin, end = max(int(centre - support + 0.5), 0), min(int(centre + support + 0.5), size)
        distance = (np.arange(begin, end) - centre + 0.5) / width
        weight = cubic_weight(distance, CUBIC_ANTIALIAS) if cubic else np.maximum(1 - np.abs(distance), 0)
        matrix[i, begin:end] = weight / weight.sum()
    return matrix
