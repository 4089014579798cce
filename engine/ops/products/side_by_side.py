"""Products added up in several lanes side by side, in PyTorch's order (`engine.ops.products.rounding` says when).

Everything here takes matrices of float32, or stacks of them where the shapes say ``…``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.products.sequential import VECTOR, depth_first, one_by_one, products_by_column, products_of
from engine.summation import in_turn

BOUNDARY = 16
"""Bytes: vectors are read at multiples of so many."""


def by_vectors(a: Any, b: Any) -> Any:
    """Rows against columns that both lie in one piece, as vectors along them.

    The numbers before a row's first vector boundary come first, so rows go by where in memory they begin. Matrices of a stack
    all begin alike.
    """
    *stack, rows, depth = a.shape
    if depth < VECTOR:  # too few for a vector wherever they begin
        return in_turn(products_of(a, b))
    a = a if a.strides[-1] == a.itemsize else np.ascontiguousarray(a)
    result = np.empty((*stack, rows, b.shape[-1]), a.dtype)
    period = VECTOR // math.gcd(a.strides[-2] // a.itemsize, VECTOR)
    for row in range(min(period, rows)):
        these = a[..., row::period, :]
        down = np.ascontiguousarray(depth_first(these))
        result[..., row::period, :] = rows_alike(down, depth_first(b.swapaxes(-1, -2)), numbers_ahead(these))
    return result


def numbers_ahead(array: Any) -> int:
    """How many numbers of an array come before the first vector boundary in its memory."""
    address: int = array.__array_interface__["data"][0]
    return -address % BOUNDARY // array.itemsize


def rows_alike(down: Any, b: Any, ahead: int) -> Any:
    """Rows of which equally many numbers come before the first vector boundary, as (…, rows, columns).

    Args:
        down: the rows as columns in one piece, (depth, …, rows), so that the innermost loop is the long one, from row to row.
        b: the other factor, as (depth, …, columns).
    """
    columns = b.shape[-1]
    whole = columns - columns % VECTOR
    if whole == columns or is_same_in_both(len(b) - ahead):
        return by_lanes(down, b, ahead, VECTOR)
    last = by_lanes(down, b[..., whole:], ahead, 2 * VECTOR)
    return np.concatenate([by_lanes(down, b[..., :whole], ahead, VECTOR), last], axis=-1) if whole else last


def is_same_in_both(count: int) -> bool:
    """Whether so many products add up in the same order in one vector of lanes and in two."""
    return count < VECTOR or 2 * VECTOR <= count < 3 * VECTOR


def dots(a: Any, vector: Any) -> Any:
    """Each row of a matrix that lies by rows against one column: four rows at a time, what is left over otherwise."""
    rows, depth = a.shape
    if depth <= VECTOR:  # too few for the loops
        return one_by_one(a, vector)
    if rows == 1:
        return dot(a[0] * vector[:, 0])
    down = np.ascontiguousarray(a.T)
    whole = rows - rows % VECTOR
    parts = []
    if whole:
        parts.append(by_lanes(down[:, :whole], vector, depth % VECTOR or VECTOR, VECTOR))
    for row in range(whole, rows):
        width = VECTOR if row == whole + 1 else 2 * VECTOR
        parts.append(by_lanes(down[:, row : row + 1], vector, VECTOR, width, 2 * VECTOR))
    return np.concatenate(parts)


def dot(terms: Any) -> Any:
    """The products of a lone row added up, as a matrix of one number: the first four, then eight lanes, then the rest."""
    lanes = terms[VECTOR : VECTOR + (len(terms) - VECTOR) // (2 * VECTOR) * 2 * VECTOR].reshape(-1, 2 * VECTOR)
    if not len(lanes):
        return np.add.accumulate(terms)[-1:, None]
    lanes[0, 0] += np.add.accumulate(terms[:VECTOR])[-1]
    total = np.add.reduce(lanes) if len(lanes) > 1 else lanes[0]
    total = total[:4] + total[4:]
    total = total[:2] + total[2:]
    chain = terms[VECTOR + lanes.size - 1 :]
    chain[0] = total[0] + total[1]
    return np.add.accumulate(chain)[-1:, None]


def by_lanes(down: Any, b: Any, ahead: int, width: int, unit: int = 0) -> Any:
    """Products added up side by side in ``width`` lanes, which then meet in a tree; those ``ahead`` begin the first lane.

    Takes and gives what `rows_alike` does.

    Args:
        unit: how many numbers the loop takes at a time, one vector of all lanes by default. The rest comes last, one by one.
    """
    unit = unit or width
    terms = products_by_column(down, b)
    last = ahead + max(len(terms) - ahead, 0) // unit * unit
    if last == ahead:
        return in_turn(terms).swapaxes(-1, -2)
    if ahead:
        terms[ahead] += in_turn(terms[:ahead])
    total = in_turn(terms[ahead:last].reshape(-1, width, *terms.shape[1:]))
    while len(total) > 1:
        half = len(total) // 2
        total = total[:half] + total[half:]
    if last < len(terms):
        total = in_turn(np.concatenate([total, terms[last:]]))[None]
    return total[0].swapaxes(-1, -2)
