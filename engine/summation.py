"""Sums in PyTorch's order of additions, so that float results agree to the last bit.

PyTorch's CPU sum (``SumKernel.cpp``) runs several partial sums side by side (the lanes of an AVX2 vector, times four)
and, in long rows, cascades them over four levels. Rounding depends on that order; the functions below follow it, with
every partial sum a column of a numpy array.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

ABREAST = 4
"""Partial sums that PyTorch's loops keep side by side."""
LEVELS = 4
LANES = {"f4": 8, "f8": 4, "c8": 4, "c16": 2}
"""Numbers in an AVX2 vector, by numpy type."""
LARGE = 1 << 22
"""From here on PyTorch divides the work among threads, and the order is the machine's."""


def carrier(dtype: Any) -> Any:
    """The numpy dtype that PyTorch's loops add up in: float32 for half types, rounded once at the end."""
    return np.dtype(np.float32) if dtype.itemsize == 2 and dtype.kind in "fV" else dtype


def summed(array: Any, axes: tuple[int, ...], keepdim: bool) -> Any:
    """The sum over ``axes``, added in PyTorch's order where that is known: dense arrays and neighbouring axes."""
    lanes = LANES.get(array.dtype.str[1:])
    shape = array.shape
    if lanes is None or not axes or not 0 < array.size <= LARGE:
        return np.sum(array, axis=axes, keepdims=keepdim)
    ordered = sorted(axes)
    if len(ordered) == array.ndim:
        if array.size == 1:
            return array + 0 if keepdim else array.reshape(-1)[0] + 0
        flat = array.ravel(order="K")  # the memory's order, as PyTorch's iterator goes
        total = (few_summed(flat) if array.size < lanes else rows_summed(flat.reshape(1, -1), lanes)[0]) + 0
        return np.full((1,) * len(shape), total) if keepdim else total
    first, last = ordered[0], ordered[-1]
    if last - first != len(ordered) - 1 or not array.flags.c_contiguous:
        return np.sum(array, axis=axes, keepdims=keepdim)
    outer, count, inner = math.prod(shape[:first]), math.prod(shape[first : last + 1]), math.prod(shape[last + 1 :])
    if inner == 1:
        result = rows_summed(array.reshape(outer, count), lanes)
    else:
        result = columns_summed(array.reshape(outer, count, inner), lanes)
    kept = shape[:first] + ((1,) * len(ordered) if keepdim else ()) + shape[last + 1 :]
    return (result.reshape(kept) + 0)[()]  # PyTorch's sums start from 0, so that of −0 is 0


def few_summed(flat: Any) -> Any:
    """Fewer numbers than an AVX2 vector holds, one by one."""
    first, *rest = flat
    total = first
    ahead = ABREAST - 1 if len(rest) >= ABREAST - 1 else 0
    for term in (*rest[ahead:], *rest[:ahead]):
        total = total + term
    return total


def rows_summed(rows: Any, lanes: int) -> Any:
    """Each row of (rows, count): lane by lane, then what is left over one by one, then the lanes."""
    height, count = rows.shape
    if count < lanes:
        return abreast(rows.T)
    vectors = count // lanes
    body = (
        rows[:, : vectors * lanes].reshape(height, vectors, lanes).transpose(1, 0, 2).reshape(vectors, height * lanes)
    )
    partial = abreast(body).reshape(height, lanes)
    if vectors * lanes < count:
        partial = np.concatenate([rows[:, vectors * lanes :], partial], axis=1)
    return np.add.accumulate(partial, axis=1)[:, -1]


def columns_summed(blocks: Any, lanes: int) -> Any:
    """Each column of (outer, count, inner): whole groups of columns in cascades, the others four rows abreast."""
    outer, count, inner = blocks.shape
    group = ABREAST * (lanes if inner >= lanes else 1)
    whole = inner // group * group
    by_row = blocks.transpose(1, 0, 2)
    parts = [cascade(by_row[:, :, :whole].reshape(count, outer * whole)).reshape(outer, whole)] if whole else []
    if whole < inner:
        rest = by_row[:, :, whole:].reshape(count, outer * (inner - whole))
        parts.append(abreast(rest).reshape(outer, inner - whole))
    return np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]


def abreast(terms: Any) -> Any:
    """The sum of (count, width) over count: four partial sums, what is left over goes to the first."""
    count, width = terms.shape
    quarter = count // ABREAST
    if not quarter:
        return in_turn(terms)
    partial = cascade(terms[: quarter * ABREAST].reshape(quarter, ABREAST * width)).reshape(ABREAST, width)
    rest = terms[quarter * ABREAST :]
    return in_turn(np.concatenate([partial[:1], rest, partial[1:]]) if len(rest) else partial)


def cascade(terms: Any) -> Any:
    """The sum of (count, width) over count: blocks are added up, blocks of blocks, and so on for four levels."""
    count = len(terms)
    power = max(4, math.ceil(math.log2(count)) // LEVELS)
    left_over = []
    for level in range(LEVELS):
        blocks = 0 if level == LEVELS - 1 else len(terms) >> power
        rest = terms[blocks << power :]
        if len(rest):
            left_over.append(in_turn(rest))
        if not blocks:
            break
        block_sums = terms[: blocks << power].reshape(blocks, 1 << power, -1)
        terms = in_turn(block_sums.transpose(1, 0, 2).reshape(1 << power, -1)).reshape(blocks, -1)
    return in_turn(np.stack(left_over)) if len(left_over) > 1 else left_over[0]


def in_turn(terms: Any) -> Any:
    """The sum of (count, …) over count, one after the other."""
    if terms.flags.c_contiguous and terms.dtype.kind == "f" and terms.size > len(terms):
        return np.add.reduce(terms, axis=0, initial=-0.0)  # sums in pairs only what lies side by side
    if terms.size <= 1024:
        return np.add.accumulate(terms, axis=0)[-1]
    total = terms[0].copy()
    for term in terms[1:]:
        total += term
    return total


def averaged(array: Any, axes: tuple[int, ...], keepdim: bool) -> Any:
    """The mean: PyTorch's sum, divided once."""
    count = math.prod(array.shape[d] for d in axes)
    return summed(array, axes, keepdim) / array.dtype.type(count)


def lanes_summed(rows: Any) -> Any:
    """Each row of (rows, count) as softmax adds its exponentials: over eight lanes, which then meet in a tree."""
    width, count = LANES["f4"], rows.shape[1]
    if count < width:
        return in_turn(rows.T)
    total = rows[:, :width].copy()
    for start in range(width, count, width):
        part = rows[:, start : start + width]
        total[:, : part.shape[1]] += part
    half = total[:, :4] + total[:, 4:]
    quarter = half[:, :2] + half[:, 2:]
    return quarter[:, 0] + quarter[:, 1]


def loss_summed(terms: Any) -> Any:
    """All numbers as the kernel of ``nll_loss`` adds them: one by one into blocks of 16, these into blocks of 16 blocks, and so on.

    The first number is carried to the top at once, so that it comes last.
    """
    flat = np.asarray(terms).ravel()
    if not flat.size:
        return flat.dtype.type(0)
    first, level, total = flat[0], flat[1:], flat.dtype.type(0)
    while level.size:
        blocks = level.size // BLOCK
        left_over = level[blocks * BLOCK :]
        if left_over.size:
            total = total + in_turn(left_over)
        level = in_turn(level[: blocks * BLOCK].reshape(blocks, BLOCK).T) if blocks else level[:0]
    return total + first


BLOCK = 16
"""How many losses are added up before their sum goes one level up."""


def lengths(rows: Any) -> Any:
    """The Euclidean norm of each row of (rows, count) of float32, in the order of PyTorch's kernel.

    Squares add up over eight lanes, then lane by lane; of what is left over, groups of four add rounded squares, the
    last few exact ones (a fused multiply-add).
    """
    width = LANES["f4"]
    count = rows.shape[1]
    whole = count - count % width
    total = np.zeros(len(rows), rows.dtype)
    if whole:
        squares = np.square(rows[:, :whole]).reshape(len(rows), -1, width).transpose(1, 0, 2)
        total = in_turn(in_turn(squares).T)
    fused_from = count - (count - whole) % ABREAST
    for place in range(whole, fused_from):
        total = total + np.square(rows[:, place])
    for place in range(fused_from, count):
        exact = np.square(rows[:, place], dtype=np.float64)
        total = (total + exact).astype(rows.dtype)
    return np.sqrt(total)
