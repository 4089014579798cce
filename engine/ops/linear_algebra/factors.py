"""Elimination on arrays, for whole batches at once: LU with partial pivoting, and substitution with triangular
matrices.

NumPy has neither. A loop over columns whose body works on all matrices of the batch is fast enough for what a snippet
asks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.linear_algebra.matrices import adjoint as conjugate_transposed
from engine.ops.linear_algebra.matrices import batched, size_of


def lu_packed(matrix: Any, pivot: bool) -> tuple[Any, Any, Any]:
    """L below the diagonal and U on and above it, LAPACK's pivots (from 1), and per matrix the first zero pivot (or
    0).
    """
    packed = np.array(matrix)
    rows, columns = packed.shape[-2:]
    batch = packed.shape[:-2]
    flat = packed.reshape(math.prod(batch), rows, columns)
    steps = min(rows, columns)
    pivots = np.tile(np.arange(1, steps + 1, dtype=np.int32), (flat.shape[0], 1))
    infos = np.zeros(flat.shape[0], np.int32)
    every = np.arange(flat.shape[0])
    for k in range(steps):
        if pivot:
            best = k + np.argmax(size_of(flat[:, k:, k]), axis=1)
            pivots[:, k] = best + 1
            flat[every, k], flat[every, best] = flat[every, best], flat[every, k]
        head = flat[:, k, k]
        infos[(head == 0) & (infos == 0)] = k + 1
        divisor = np.where(head == 0, 1, head) if pivot else head
        flat[:, k + 1 :, k] /= divisor[:, None]
        flat[:, k + 1 :, k + 1 :] -= flat[:, k + 1 :, k, None] * flat[:, k, None, k + 1 :]
    return flat.reshape(packed.shape), pivots.reshape(*batch, steps), infos.reshape(batch)


def order_of(pivots: Any, rows: int) -> Any:
    """The permutation that the row exchanges add up to: row i of P·A… is row ``order[i]`` of A."""
    flat = pivots.reshape(math.prod(pivots.shape[:-1]), pivots.shape[-1])
    order = np.tile(np.arange(rows), (flat.shape[0], 1))
    every = np.arange(flat.shape[0])
    for k in range(flat.shape[-1]):
        other = flat[:, k] - 1
        order[every, k], order[every, other] = order[every, other], order[every, k]
    return order.reshape(*pivots.shape[:-1], rows)


def permutation(pivots: Any, rows: int, dtype: Any) -> Any:
    """P with ``A = P·L·U``."""
    order = order_of(pivots, rows)
    matrix = np.zeros((*order.shape, rows), dtype)
    np.put_along_axis(matrix.swapaxes(-1, -2), order[..., None], 1, -1)
    return matrix


def unpacked(packed: Any) -> tuple[Any, Any]:
    """L and U out of their common storage."""
    steps = min(packed.shape[-2:])
    eye = np.eye(packed.shape[-2], steps, dtype=packed.dtype)
    return np.tril(packed[..., :, :steps], -1) + eye, np.triu(packed[..., :steps, :])


def substitute(triangle: Any, right: Any, upper: bool, unit: bool = False) -> Any:
    """X of ``T·X = B``, row after row; a zero on the diagonal gives infinities, as in BLAS."""
    triangle, right = batched(triangle, right)
    result = np.array(right, np.result_type(triangle, right))
    size = triangle.shape[-1]
    for i in reversed(range(size)) if upper else range(size):
        done = slice(i + 1, size) if upper else slice(0, i)
        if done.stop > done.start:
            result[..., i, :] -= (triangle[..., i, None, done] @ result[..., done, :])[..., 0, :]
        if not unit:
            result[..., i, :] /= triangle[..., i, i, None]
    return result


def lu_solved(packed: Any, pivots: Any, right: Any, adjoint: bool = False) -> Any:
    """X of ``A·X = B`` (or ``Aᴴ·X = B``) for a packed LU factorisation of A."""
    packed, right = batched(packed, right)
    batch, size = packed.shape[:-2], packed.shape[-1]
    order = np.broadcast_to(order_of(pivots, size), (*batch, size))[..., None]
    if not adjoint:
        return substitute(packed, substitute(packed, np.take_along_axis(right, order, -2), False, True), True)
    conjugate = conjugate_transposed(packed)
    between = substitute(conjugate, substitute(conjugate, right, False), True, True)
    result = np.empty_like(between)
    np.put_along_axis(result, np.broadcast_to(order, between.shape), between, -2)
    return result
