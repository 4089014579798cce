"""Matrix products of float32 in the order of additions of PyTorch's BLAS, so that results agree to the last bit.

A loss printed with all its digits shows how every product before it was rounded. PyTorch multiplies with MKL, whose choice of
kernel, and so of the order, goes by the sizes and by how the factors lie in memory. The rules below were read off PyTorch
2.13.0 on an x86-64 machine: by adding numbers that swallow others (after Collange et al., "Numerical reproducibility for the
parallel reduction"), then held against random products. Only the wide kernel fuses a product with its addition.

Everything here takes and gives two-dimensional float32 arrays, or stacks of them where it says so. ``start`` is what ``addmm``
adds: some kernels begin with it, the others add it last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.products.sequential import VECTOR, ZERO, by_rows, in_sequence, products_of
from engine.ops.products.side_by_side import BOUNDARY, by_vectors, dots
from engine.summation import in_turn

WIDE_ROWS, WIDE_COLUMNS = 4, 12
"""From these sizes of the result on, the wide kernel multiplies."""
DEPTH = 192
"""Products that the wide kernel adds up before their sum goes into the result."""
FEW = 400
"""Products per matrix up to which ``bmm`` multiplies without BLAS."""
MANY = 1 << 20
"""Products from which on speed comes before the last bit."""


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
        laid = a if a.strides[2] == a.itemsize else np.ascontiguousarray(a)
        if not laid.strides[0] % BOUNDARY:
            return by_vectors(laid, b) + ZERO
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
