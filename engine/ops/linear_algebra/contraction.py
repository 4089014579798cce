"""``einsum``: products and sums over named dimensions, composed of permute, bmm and view as PyTorch composes it.

Every operand gets one dimension per subscript, in the order of the output's subscripts followed by those summed away.
Operands are multiplied from left to right; a dimension is summed in the product after which nobody needs it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from engine.ops.core.declare import composite
from engine.ops.core.misuse import kind_of
from engine.ops.linear_algebra.equation import (
    ELLIPSIS,
    Layout,
    laid_out,
    letter,
    operand_labels,
    spelled_out,
)
from engine.tensor import Tensor


@composite(at="torch")
def einsum(equation: Any, *operands: Any) -> Tensor:
    """Multiplies tensors and sums over the dimensions that the right side does not name.

    ``einsum("ij,jk->ik", a, b)`` or, without letters, ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.

    Raises:
        RuntimeError: subscripts that do not fit the operands.
        ValueError: nothing to work on.
        TypeError: operands that are no tensors.
    """
    if not operands:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and "
            "its subscripts list"
        )
    if isinstance(equation, Tensor):
        equation, operands = spelled_out((equation, *operands))
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    for i, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {kind_of(operand)}")
    return contracted(equation, operands)


def contracted(equation: str, operands: Sequence[Tensor]) -> Tensor:
    """The contraction that the equation describes."""
    arrow = equation.find("->")
    left = equation if arrow < 0 else equation[:arrow]
    labels = operand_labels(left, len(operands))
    layout = laid_out(equation[arrow + 2 :] if arrow >= 0 else None, arrow + 2, labels, operands)
    permuted = [aligned(operand, labels[i], layout, i) for i, operand in enumerate(operands)]
    sizes_agree(permuted, layout)
    return multiplied(permuted, layout)


def aligned(operand: Tensor, own: list[int], layout: Layout, which: int) -> Tensor:
    """The operand with diagonals taken for repeated subscripts, and a dimension for every subscript there is.

    Raises:
        RuntimeError: a repeated subscript with two lengths.
    """
    order: list[int | None] = [None] * layout.total
    seen: dict[int, int] = {}
    dim = 0
    hidden = operand.ndim - sum(s != ELLIPSIS for s in own)
    for s in own:
        if s == ELLIPSIS:
            for k in range(layout.ellipsis - hidden, layout.ellipsis):
                order[layout.place[s] + k] = dim
                dim += 1
        elif s in seen:
            earlier = seen[s]
            if operand.shape[dim] != operand.shape[earlier]:
                raise RuntimeError(
                    f"einsum(): subscript {letter(s)} is repeated for operand {which} but the sizes don't match, "
                    f"{operand.shape[dim]} != {operand.shape[earlier]}"
                )
            operand = operand.diagonal(0, earlier, dim).movedim(-1, earlier)
        else:
            seen[s] = dim
            order[layout.place[s]] = dim
            dim += 1
    for place, at in enumerate(order):
        if at is None:
            operand = operand.unsqueeze(dim)
            order[place] = dim
            dim += 1
    return operand.permute(order)


def sizes_agree(permuted: list[Tensor], layout: Layout) -> None:
    """Raises RuntimeError: a subscript with two lengths (neither of them one)."""
    by_place = {place: s for s, place in layout.place.items() if s != ELLIPSIS}
    for place in range(layout.total):
        known = 1
        for i, operand in enumerate(permuted):
            size = operand.shape[place]
            if size != 1 and known != 1 and size != known:
                which = (
                    f"subscript {letter(by_place[place])}" if place in by_place else "dimension hidden by the ellipsis"
                )
                raise RuntimeError(
                    f"einsum(): {which} has size {size} for operand {i} which does not broadcast with previously "
                    f"seen size {known}"
                )
            known = size if size != 1 else known


def multiplied(permuted: list[Tensor], layout: Layout) -> Tensor:
    """The operands' product from left to right, each dimension summed as soon as nothing more needs it."""
    output, total = layout.output, layout.total
    result = permuted[0]
    if len(permuted) == 1:
        return result.sum(list(range(output, total))) if total > output else result
    users = {d: sum(o.shape[d] != 1 for o in permuted) for d in range(output, total)}
    for following in permuted[1:]:
        other = following
        together: list[int] = []
        left_alone: list[int] = []
        right_alone: list[int] = []
        for d in range(output, total):
            in_left, in_right = result.shape[d] != 1, other.shape[d] != 1
            if in_left and in_right:
                users[d] -= 1
                if users[d] == 1:
                    together.append(d)
                    users[d] = 0
            elif users[d] == 1 and (in_left or in_right):
                (left_alone if in_left else right_alone).append(d)
                users[d] = 0
        result = result.sum(left_alone, True) if left_alone else result
        other = other.sum(right_alone, True) if right_alone else other
        result = sum_of_products(result, other, together) if together else result * other
    return result.view(result.shape[:output]) if total > output else result


def sum_of_products(left: Tensor, right: Tensor, away: list[int]) -> Tensor:
    """``Σ left·right`` over the given dimensions (which keep length one), by one batched matrix product."""
    ndim = left.ndim
    both: list[int] = []
    only_left: list[int] = []
    only_right: list[int] = []
    summed = 1
    for d in range(ndim):
        in_left, in_right = left.shape[d] != 1, right.shape[d] != 1
        if d in away:
            if in_left and in_right:
                summed *= left.shape[d]
            elif in_left:
                left = left.sum(d, True)
            elif in_right:
                right = right.sum(d, True)
        elif in_left and in_right:
            both.append(d)
        elif in_left:
            only_left.append(d)
        else:
            only_right.append(d)
    if only_left and only_right and only_right[-1] < only_left[0]:
        # The right operand's dimensions come first in the output: as the left factor its product needs no reordering.
        left, right, only_left, only_right = right, left, only_right, only_left
    batch = [left.shape[d] for d in both]
    rows, columns = [left.shape[d] for d in only_left], [right.shape[d] for d in only_right]
    count, height, width = math.prod(batch), math.prod(rows), math.prod(columns)
    left = left.permute([*both, *only_left, *away, *only_right]).reshape(count, height, summed)
    right = right.permute([*both, *away, *only_right, *only_left]).reshape(count, summed, width)
    result = left.bmm(right)
    shape = [*batch, *rows, *[1] * len(away), *columns]
    order = [*both, *only_left, *away, *only_right]
    back = [0] * ndim
    for i, d in enumerate(order):
        back[d] = i
    return result.view(shape).permute(back)
