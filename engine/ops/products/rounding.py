"""Matrix products of float32 in the order of additions of PyTorch's BLAS, so that results agree to the last bit.

A loss printed with all its digits shows how every product before it was rounded. PyTorch multiplies with MKL, whose choice of
kernel, and so of the order, goes by the sizes and by how the factors lie in memory. The rules below were read off PyTorch
2.13.0 on an x86-64 machine: by adding numbers that swallow others (after Collange et al., "Numerical reproducibility for the
parallel reduction"), then held against random products. Only the wide kernel fuses a product with its addition.

Everything here takes and gives two-dimensional float32 arrays. ``start`` is what ``addmm`` adds: some kernels begin with it,
the others add it last.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from engine.summation import in_turn

VECTOR = 4
"""Numbers in the vectors of the narrow kernels (SSE)."""
BOUNDARY = 16
"""Bytes: vectors are read at multiples of so many."""
WIDE_ROWS, WIDE_COLUMNS = 4, 12
"""From these sizes of the result on, the wide kernel multiplies."""
DEPTH = 192
"""Products that the wide kernel adds up before their sum goes into the result."""
FEW = 400
"""Products per matrix up to which ``bmm`` multiplies without BLAS."""
LONG = 300
"""Numbers of a first factor from which on it pays to lay it out anew."""
MANY = 1 << 20
"""Products from which on speed comes before the last bit."""
ZERO = np.zeros((), np.float32)
"""Sums start from it, so that none of them is −0. An array: numpy adds a number several times slower."""


def matrix_product(a: Any, b: Any, start: Any = None) -> Any:
    """``a @ b (+ start)``."""
    rows, depth = a.shape
    columns = b.shape[1]
    products = rows * depth * columns
    if not products:
        return a @ b if start is None else a @ b + start
    if depth == 1:
        result = a * b if rows > 1 and columns > 1 else a * b + ZERO
        return result if start is None else result + start
    if rows >= WIDE_ROWS and columns >= WIDE_COLUMNS:
        rest = rows % WIDE_ROWS if leaves_rows(rows, depth, columns) else 0
        return wide_and_narrow(a, b, start, rows - rest) if rest else wide(a, b, start)
    if products > MANY:
        return a @ b if start is None else a @ b + start
    if columns == 1:
        if lies_by_columns(a) if rows > 1 else not lies_by_columns(b):
            return in_sequence(a, b, start)
        result = dots(a, b)
    elif rows == 1:
        if not lies_by_columns(b):
            return in_sequence(a, b, start)
        result = dots(b.T, a.T).T
    else:
        return narrow(a, b, start)
    return result + (ZERO if start is None else start)


def narrow(a: Any, b: Any, start: Any, place: int = 0) -> Any:
    """Several rows and columns, too few for the wide kernel.

    Args:
        place: where in its memory the result begins.
    """
    if not lies_by_columns(b):
        return by_rows(a, b, start, place)
    result = in_sequence(a, b) if lies_by_columns(a) else by_vectors(a, b)
    return result + (ZERO if start is None else start)


def leaves_rows(rows: int, depth: int, columns: int) -> bool:
    """Whether the wide kernel leaves rows that make no block of it to the narrow ones."""
    return rows < 3 * WIDE_ROWS and (depth > 4 * VECTOR or (depth > VECTOR and columns > 4 * VECTOR))


def wide_and_narrow(a: Any, b: Any, start: Any, rows: int) -> Any:
    """The first ``rows`` by the wide kernel, the others by a narrow one."""
    first, last = a[:rows], a[rows:]
    place = rows * b.shape[1]
    if start is None:
        return np.concatenate([wide(first, b), narrow(last, b, None, place)])
    start = np.broadcast_to(start, (len(a), b.shape[1]))
    return np.concatenate([wide(first, b, start[:rows]), narrow(last, b, start[rows:], place)])


def vector_product(a: Any, vector: Any) -> Any:
    """``a @ vector``."""
    column = vector[:, None]
    if len(a) == 1 and 1 < a.size <= MANY and not lies_by_columns(a):
        return dots(a, column)[:, 0] + ZERO
    return matrix_product(a, column)[:, 0].copy()


def batched_product(a: Any, b: Any) -> Any:
    """``a @ b`` of two stacks of matrices."""
    stack, rows, depth = a.shape
    columns = b.shape[2]
    if not a.size or not b.size:
        return a @ b
    if rows * depth * columns < FEW:
        return in_turn(products_of(a, b)) + ZERO
    if stack == 1:
        return matrix_product(a[0], b[0]).reshape(1, rows, columns)  # with ``[None]`` the stack would step by 0
    if rows >= WIDE_ROWS and columns >= WIDE_COLUMNS:
        return wide(a, b)
    if a.size * columns > MANY:
        return a @ b
    if rows > 1 and columns > 1:
        if not lies_by_columns(b[0]):
            return by_rows(a, b)
        if lies_by_columns(a[0]):
            return in_sequence(a, b)
        if a.strides[2] == a.itemsize and not a.strides[0] % BOUNDARY and not a.strides[1] % BOUNDARY:
            down = np.ascontiguousarray(a.transpose(2, 0, 1))
            return np.add(rows_alike(down, b.transpose(1, 0, 2), numbers_ahead(a)), ZERO, order="C")
    result = np.empty((stack, rows, columns), a.dtype)
    for number in range(stack):
        one, other = a[number], b[number]
        if columns > 1 and (rows == 1 or lies_by_columns(other)):
            result[number] = matrix_product(one, other)
        elif lies_by_columns(other) and not lies_by_columns(one):
            result[number] = by_vectors(one, other)
        else:
            result[number] = by_rows(one, other, place=number * rows * columns)
    result += ZERO
    return result


def lies_by_columns(matrix: Any) -> bool:
    """Whether BLAS takes the matrix as a transposed one. What lies neither way is copied row by row first."""
    down, along = matrix.strides
    size = matrix.itemsize
    if along == size and down >= size * matrix.shape[1]:
        return False
    return bool(down == size and along >= size * matrix.shape[0])


def wide(a: Any, b: Any, start: Any = None) -> Any:
    """One fused multiply-add after the other, in blocks along the depth.

    OpenBLAS goes the same way where the first factor lies by columns; other layouts have kernels of their own.
    """
    depth = a.shape[-1]
    a = np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)
    if depth <= DEPTH:
        return a @ b if start is None else a @ b + start
    block = min(DEPTH, depth // 2)
    total = start
    for first in range(0, depth, block):
        part = a[..., first : first + block] @ b[..., first : first + block, :]
        total = part if total is None else total + part
    return total


def products_of(a: Any, b: Any) -> Any:
    """All products, as (depth, …, rows, columns), laid out so that numpy adds up over the depth one by one."""
    if a.ndim == 2:
        return np.multiply(a.T[:, :, None], b[:, None, :], order="C")
    return np.multiply(a.transpose(2, 0, 1)[:, :, :, None], b.transpose(1, 0, 2)[:, :, None, :], order="C")


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
    terms = products_of(a, b[..., :most])
    if start is not None:
        terms[0] += np.broadcast_to(start, result.shape)[:, :most]
    first = by_eights(terms).reshape(-1, most)
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
    eights[:, VECTOR] = in_turn(eights[:, VECTOR:].swapaxes(0, 1))
    return in_turn(terms[kept_of_eights(len(terms))])


@functools.lru_cache(maxsize=256)
def kept_of_eights(count: int) -> Any:
    """Numbers of the first five of every eight terms, and of those that are left over."""
    numbers = np.arange(count)
    return numbers[(numbers % (2 * VECTOR) <= VECTOR) | (numbers >= count - count % (2 * VECTOR))]


def by_vectors(a: Any, b: Any) -> Any:
    """Rows against columns that both lie in one piece, as vectors along them.

    The numbers before a row's first vector boundary come first, so rows go by where in memory they begin.
    """
    rows, depth = a.shape
    if depth < VECTOR:  # too few for a vector wherever they begin
        return in_turn(products_of(a, b))
    a = a if a.strides[1] == a.itemsize else np.ascontiguousarray(a)
    result = np.empty((rows, b.shape[1]), a.dtype)
    step = a.strides[0] // a.itemsize % VECTOR
    period = VECTOR // math.gcd(step, VECTOR)
    for row in range(min(period, rows)):
        these = a[row::period]
        result[row::period] = rows_alike(np.ascontiguousarray(these.T), b, numbers_ahead(these))
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
    depth = len(b)
    body = max(depth - ahead, 0) // unit * unit
    if not body:
        return in_turn(down[..., None, :] * b[..., :, None]).swapaxes(-1, -2)
    last = ahead + body
    total = np.einsum("tl...i,tl...j->l...ji", in_lanes(down, ahead, last, width), in_lanes(b, ahead, last, width))
    while len(total) > 1:
        half = len(total) // 2
        total = total[:half] + total[half:]
    if last < depth:
        total = in_turn(np.concatenate([total, down[last:, ..., None, :] * b[last:, ..., :, None]]))[None]
    return total[0].swapaxes(-1, -2)


def in_lanes(factor: Any, ahead: int, last: int, width: int) -> Any:
    """A factor as (turns, width, …), down to ``last``: what comes ahead has turns of its own, in the first lane."""
    others = factor.shape[1:]
    lanes = factor[ahead:last].reshape(-1, width, *others)
    if not ahead:
        return lanes
    longer = np.zeros((ahead + len(lanes), width, *others), factor.dtype)
    longer[:ahead, 0] = factor[:ahead]
    longer[ahead:] = lanes
    return longer


def inner_product(a: Any, b: Any) -> Any:
    """Two vectors: four accumulators of four lanes, the rest goes to the first two, then to the very first lane."""
    terms = a * b
    count = len(terms)
    if not count or count > MANY:
        return a @ b
    accumulators: list[Any] = [None] * VECTOR
    taken = 0
    for side_by_side in (VECTOR, 2, 1):
        size = side_by_side * VECTOR
        body = (count - taken) // size * size
        blocks = terms[taken : taken + body].reshape(-1, side_by_side, VECTOR)
        taken += body
        for number in range(side_by_side if body else 0):
            before = accumulators[number]
            chain = blocks[:, number] if before is None else np.concatenate([before[None], blocks[:, number]])
            accumulators[number] = in_turn(chain)
    if accumulators[0] is None:
        return in_turn(terms) + 0
    for term in terms[taken:]:
        accumulators[0][0] += term
    lanes = in_turn(np.stack([part for part in accumulators if part is not None]))
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) + 0
