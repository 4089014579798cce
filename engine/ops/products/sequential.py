"""Products added up one after the other, in PyTorch's order (`engine.ops.products.rounding` says when).

Everything here takes matrices of float32, or stacks of them where the shapes say ``…``.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from engine.summation import in_turn

VECTOR = 4
"""Numbers in the vectors of the narrow kernels (SSE)."""
LONG = 300
"""Numbers of a first factor from which on it pays to lay it out anew."""
ZERO = np.zeros((), np.float32)
"""Sums start from it, so that none of them is −0. An array: numpy adds a number several times slower."""


def products_of(a: Any, b: Any) -> Any:
    """All products, as (depth, …, rows, columns), laid out so that numpy adds up over the depth one by one."""
    return np.multiply(depth_first(a)[..., None], depth_first(b.swapaxes(-1, -2))[..., None, :], order="C")


def products_by_column(down: Any, b: Any) -> Any:
    """The same as (depth, …, columns, rows), of factors as (depth, …, rows) and (depth, …, columns): where rows are more."""
    return np.multiply(down[..., None, :], b[..., :, None], order="C")


def depth_first(rows: Any) -> Any:
    """A view of (…, rows, depth) as (depth, …, rows)."""
    return rows.T if rows.ndim == 2 else rows.transpose(2, 0, 1)


def in_sequence(a: Any, b: Any, start: Any = None) -> Any:
    """One rounded product after the other."""
    if start is not None or b.shape[-1] == 1:
        return one_by_one(a, b, start) + ZERO
    # The innermost loop must not go along the depth, which it would add up in parts. It begins with zeros.
    if a.shape[-2] > 2 * b.shape[-1] and a.size > LONG:  # along the rows, as they are more
        down = np.ascontiguousarray(a.swapaxes(-1, -2))
        result = np.einsum("...ki,...kj->...ji", down, b).swapaxes(-1, -2)
    else:
        result = np.einsum("...ik,...kj->...ij", a, b if b.strides[-1] == b.itemsize else np.ascontiguousarray(b))
    return np.ascontiguousarray(result)


def one_by_one(a: Any, b: Any, start: Any = None) -> Any:
    """The same, begun with the first product itself."""
    if a.shape[1] == 2:
        total = a[:, :1] * b[:1]
        if start is not None:
            total += start
        total += a[:, 1:] * b[1:]
        return total
    if len(a) == 1 == b.shape[1]:
        row = a[0] * b[:, 0]
        if start is not None:
            row[:1] += start.reshape(-1)
        return np.add.accumulate(row)[-1:, None]
    terms = products_of(a, b)
    if start is not None:
        terms[0] += start
    return np.add.reduce(terms)


def by_rows(a: Any, b: Any, start: Any = None, place: int = 0) -> Any:
    """One product after the other, but for the numbers that come before a vector's boundary in a row of the result.

    Args:
        place: where in its memory the result begins.
    """
    depth, columns = b.shape[-2:]
    result = in_sequence(a, b, start)
    if depth < 2 * VECTOR or columns <= VECTOR or (columns % VECTOR == 0 and place % VECTOR == 0):
        return result
    most = min(VECTOR - 1, columns - VECTOR)
    terms = products_by_column(depth_first(a), depth_first(b.swapaxes(-1, -2))[..., :most])
    if start is not None:
        terms[0] += np.broadcast_to(start, result.shape)[:, :most].T
    first = by_eights(terms).swapaxes(-1, -2).reshape(-1, most)
    rows = result.reshape(-1, columns)
    for count, these in rows_ahead(len(rows), columns, place % VECTOR):
        rows[these, :count] = first[these, :count]
    return result


@functools.lru_cache(maxsize=256)
def rows_ahead(rows: int, columns: int, place: int) -> list[tuple[int, Any]]:
    """Rows of a result of this form that begin before a vector's boundary: by how many numbers, and which they are."""
    ahead = -(place + np.arange(rows) * columns) % VECTOR
    groups = [(count, np.flatnonzero(ahead == count)) for count in range(1, min(VECTOR, columns - VECTOR + 1))]
    return [(count, these) for count, these in groups if these.size]


def by_eights(terms: Any) -> Any:
    """Of every eight terms the first four one after the other, then the sum of the last four. Overwrites them."""
    whole = len(terms) // (2 * VECTOR)
    eights = terms[: whole * 2 * VECTOR].reshape(whole, 2 * VECTOR, *terms.shape[1:])
    last = eights[:, VECTOR]
    for place in range(VECTOR + 1, 2 * VECTOR):
        last += eights[:, place]
    return in_turn(terms[kept_of_eights(len(terms))])


@functools.lru_cache(maxsize=256)
def kept_of_eights(count: int) -> Any:
    """Numbers of the first five of every eight terms, and of those that are left over."""
    numbers = np.arange(count)
    return numbers[(numbers % (2 * VECTOR) <= VECTOR) | (numbers >= count - count % (2 * VECTOR))]
