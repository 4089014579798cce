"""Bunch and Kaufman's elimination of a symmetric matrix: pivots of one or two rows, whichever keep numbers small.

The factors and pivots are LAPACK's (``sytf2``, ``hetf2`` with the lower triangle): L below the blocks of D, and per row
the one it was exchanged with, from 1; negative, twice, for a block of two.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.linear_algebra.matrices import size_of

ALPHA = (1 + math.sqrt(17)) / 8
"""Above this share of its column a diagonal element is large enough to be a pivot (their bound on growth)."""


def eliminate(matrix: Any, hermitian: bool) -> tuple[Any, Any, int]:
    """Packed factors, pivots, and the first block of D that is zero (from 1), or 0."""
    a = np.tril(matrix)
    count, k, info = len(a), 0, 0
    pivots = np.zeros(count, np.int32)
    while k < count:
        row, rows = chosen(a, k)
        if row is None:
            info, row = info or k + 1, k
            pivots[k] = k + 1
        else:
            exchange(a, k, k + rows - 1, row, hermitian)
            (one_row if rows == 1 else two_rows)(a, k, hermitian)
            pivots[k : k + rows] = row + 1 if rows == 1 else -(row + 1)
        k += rows
    return a, pivots, info


def chosen(a: Any, k: int) -> tuple[int | None, int]:
    """Which row becomes the pivot, and of how many rows the block is; None where the column is zero."""
    count, diagonal = len(a), size_of(a[k, k])
    below = size_of(a[k + 1 :, k])
    largest = below.max(initial=0.0)
    if max(diagonal, largest) == 0:
        return None, 1
    if diagonal >= ALPHA * largest:
        return k, 1
    row = k + 1 + int(below.argmax())
    beside = max(size_of(a[row, k:row]).max(initial=0.0), size_of(a[row + 1 : count, row]).max(initial=0.0))
    if diagonal >= ALPHA * largest * (largest / beside):
        return k, 1
    return row, 1 if size_of(a[row, row]) >= ALPHA * beside else 2


def exchange(a: Any, k: int, first: int, second: int, hermitian: bool) -> None:
    """Exchanges two rows and columns of what is left, in the lower triangle."""
    if first == second:
        return
    a[second + 1 :, [first, second]] = a[second + 1 :, [second, first]]
    between = slice(first + 1, second)
    down, across = a[between, first].copy(), a[second, between].copy()
    a[between, first], a[second, between] = (across.conj(), down.conj()) if hermitian else (across, down)
    if hermitian:
        a[second, first] = a[second, first].conj()
    a[first, first], a[second, second] = a[second, second], a[first, first]
    if first != k:
        a[first, k], a[second, k] = a[second, k], a[first, k]


def one_row(a: Any, k: int, hermitian: bool) -> None:
    """Eliminates with a single pivot."""
    column = a[k + 1 :, k].copy()
    pivot = a[k, k].real if hermitian else a[k, k]
    other = column.conj() if hermitian else column
    a[k + 1 :, k + 1 :] -= np.tril(np.multiply.outer(column, other) / pivot)
    a[k + 1 :, k] = column / pivot


def two_rows(a: Any, k: int, hermitian: bool) -> None:
    """Eliminates with a block of two."""
    block = block_at(a, k, hermitian)
    columns = a[k + 2 :, k : k + 2].copy()
    factors = columns @ np.linalg.inv(block) if len(columns) else columns
    a[k + 2 :, k + 2 :] -= np.tril(factors @ (columns.conj() if hermitian else columns).T)
    a[k + 2 :, k : k + 2] = factors


def block_at(a: Any, k: int, hermitian: bool) -> Any:
    """The symmetric 2×2 block of D that starts at k."""
    corner = a[k + 1, k]
    return np.array([[a[k, k], corner.conj() if hermitian else corner], [corner, a[k + 1, k + 1]]])


def solved(a: Any, pivots: Any, right: Any, hermitian: bool) -> Any:
    """X of ``A·X = B`` for packed factors of A."""
    x = np.array(right, np.result_type(a, right))
    blocks = starts(pivots)
    for k, rows in blocks:
        swap(x, k + rows - 1, abs(int(pivots[k])) - 1)
        done = slice(k, k + rows)
        x[k + rows :] -= a[k + rows :, done] @ x[done]
        x[done] = x[done] / a[k, k] if rows == 1 else np.linalg.solve(block_at(a, k, hermitian), x[done])
    for k, rows in reversed(blocks):
        below = a[k + rows :, k : k + rows]
        x[k : k + rows] -= (below.conj() if hermitian else below).T @ x[k + rows :]
        swap(x, k + rows - 1, abs(int(pivots[k])) - 1)
    return x


def starts(pivots: Any) -> list[tuple[int, int]]:
    """Where the blocks of D begin, and how many rows each has."""
    found, k = [], 0
    while k < len(pivots):
        rows = 1 if pivots[k] > 0 else 2
        found.append((k, rows))
        k += rows
    return found


def swap(x: Any, one: int, other: int) -> None:
    """Exchanges two rows."""
    if one != other:
        x[[one, other]] = x[[other, one]]
