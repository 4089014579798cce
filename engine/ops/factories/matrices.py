"""Matrices known by their size: ``eye``, and the places of a triangle, ``tril_indices`` and ``triu_indices``."""

from __future__ import annotations

import numpy as np

from engine import dtype as dtypes
from engine.ops.factories.factory import factory
from engine.ops.factories.filled import floating


@factory
def eye(n: int, m: int | None = None, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """1 on the diagonal, 0 elsewhere.

    Raises:
        TypeError: no whole numbers.
        RuntimeError: negative ones.
    """
    for name, value in (("n", n), ("m", m)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer)):
            position, word = 1 + (name == "m"), type(value).__name__
            raise TypeError(f"eye(): argument '{name}' (position {position}) must be int, not {word}")
        if value is not None and value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    return np.eye(n, m, dtype=floating(dtype))


@factory
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Row and column of every place on or below a diagonal: (2, count)."""
    check_matrix(row, col)
    return np.stack(np.tril_indices(row, offset, col)).astype((dtype or dtypes.int64).array)


@factory
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Row and column of every place on or above a diagonal: (2, count)."""
    check_matrix(row, col)
    return np.stack(np.triu_indices(row, offset, col)).astype((dtype or dtypes.int64).array)


def check_matrix(row: int, col: int) -> None:
    """Refuses negative sizes.

    Raises:
        RuntimeError: a negative length.
    """
    for name, value in (("row", row), ("col", col)):
        if value < 0:
            raise RuntimeError(f"{name} must be non-negative, got{value}")
