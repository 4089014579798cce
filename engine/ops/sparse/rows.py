"""Gradients of tables from which few rows were taken: only those rows are stored (``sparse=True``)."""

from __future__ import annotations

import numpy as np

from engine.ops.sparse.coordinates import Coordinates
from engine.ops.sparse.tensor import around, expect
from engine.tensor import Tensor, wrap

__all__ = ["expect", "gathered_places", "rows_of_bags", "taken_rows", "with_values"]

MEAN = 1
"""The number of an embedding bag's mode."""


def taken_rows(grad: Tensor, indices: Tensor, rows: int, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:
    """``embedding``'s gradient (rows, D): the slope of every place where a row was taken, in the order of the places, not added up.

    Raises:
        RuntimeError: rows are to be scaled by how often they were taken.
    """
    if scale_grad_by_freq:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    flat, slopes = indices._array.reshape(-1).astype(np.int64), grad._array
    width = slopes.shape[-1]
    if padding_idx >= 0:
        kept = indices._array != padding_idx
        flat, slopes = flat[kept.reshape(-1)], slopes[kept]
    return around(Coordinates(flat[None], slopes.reshape(-1, width), (rows, width)))


def with_values(pattern: Tensor, values: Tensor) -> Tensor:
    """Other values at the places of a sparse tensor, outside the graph."""
    return around(pattern._array.with_values(values._array))


def gathered_places(grad: Tensor, shape: tuple[int, ...], dim: int, index: Tensor) -> Tensor:
    """``gather``'s gradient of this shape: each slope at the place from which its number was taken."""
    slopes, numbers = grad._array, index._array
    if not shape:
        return around(Coordinates(np.zeros((0, slopes.size), np.int64), slopes.reshape(-1), ()))
    if not numbers.ndim:
        numbers, slopes = numbers.reshape((1,) * len(shape)), slopes.reshape((1,) * len(shape))
    indices = np.indices(numbers.shape).reshape(numbers.ndim, -1)
    indices[dim] = numbers.reshape(-1)
    return around(Coordinates(indices, np.ascontiguousarray(slopes).reshape(-1), shape))


def rows_of_bags(
    grad: Tensor,
    indices: Tensor,
    bags: Tensor,
    per_sample_weights: Tensor | None,
    rows: int,
    mode: int,
    padding_idx: int,
    scale_grad_by_freq: bool,
    size: Tensor,
    best: Tensor,
) -> Tensor:
    """``embedding_bag``'s gradient: each bag's, for every row that went into it."""
    which = bags if isinstance(bags, np.ndarray) else bags._array
    slopes = grad._array[which]
    if mode == MEAN:
        slopes = slopes / np.maximum(size._array, 1)[which][:, None].astype(slopes.dtype)
    if per_sample_weights is not None:
        slopes = slopes * per_sample_weights._array[:, None]
    return taken_rows(wrap(slopes), indices, rows, padding_idx, scale_grad_by_freq)
