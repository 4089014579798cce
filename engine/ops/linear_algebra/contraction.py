"""``einsum``: products and sums over named dimensions, composed of permute, bmm and view exactly as PyTorch composes it.

Every operand gets one dimension per subscript, in the order of the output's subscripts followed by those summed away. Operands are
multiplied from left to right; a dimension is summed in the product after which nobody needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.ops.declare import composite
from engine.ops.shape import unsafe_view
from engine.tensor import Tensor

ELLIPSIS = 52
"""Its place among the subscripts, which are 0 to 51 for A to Z and a to z."""


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
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list"
        )
    if isinstance(equation, Tensor):
        equation, operands = spelled_out((equation, *operands))
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    for i, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(operand).__name__}")
    return contracted(equation, operands)


def spelled_out(arguments: Sequence[Any]) -> tuple[str, tuple[Tensor, ...]]:
    """The equation for operands that alternate with their lists of subscripts."""

    def letters(subscripts: Sequence[Any]) -> str:
        return "".join("..." if s is Ellipsis else letter(s) for s in subscripts)

    operands, lists = tuple(arguments[: len(arguments) // 2 * 2 : 2]), arguments[1::2]
    equation = ",".join(letters(subscripts) for subscripts in lists)
    return equation + (f"->{letters(arguments[-1])}" if len(arguments) % 2 else ""), operands


def letter(subscript: int) -> str:
    """0 is A, 26 is a.

    Raises:
        ValueError: outside 0 to 51.
    """
    if not 0 <= subscript < ELLIPSIS:
        raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    return chr(subscript + ord("A")) if subscript < 26 else chr(subscript - 26 + ord("a"))


def number(letter: str) -> int:
    """A is 0, a is 26."""
    return ord(letter) - ord("A") if letter.isupper() else ord(letter) - ord("a") + 26


@dataclass
class Layout:
    """Where each subscript's dimension stands once the operands are permuted, and how many come in the output."""

    place: dict[int, int] = field(default_factory=dict)
    output: int = 0
    ellipsis: int = 0
    total: int = 0


def contracted(equation: str, operands: Sequence[Tensor]) -> Tensor:
    """The contraction that the equation describes."""
    arrow = equation.find("->")
    left = equation if arrow < 0 else equation[:arrow]
    labels = operand_labels(left, len(operands))
    layout = laid_out(equation[arrow + 2 :] if arrow >= 0 else None, labels, operands)
    permuted = [aligned(operand, labels[i], layout, i) for i, operand in enumerate(operands)]
    sizes_agree(permuted, labels, layout)
    return multiplied(permuted, layout)


def operand_labels(left: str, count: int) -> list[list[int]]:
    """The subscripts of each operand.

    Raises:
        RuntimeError: an equation that is none, or not for this number of operands.
    """
    labels: list[list[int]] = [[]]
    i = 0
    while i < len(left):
        letter = left[i]
        if letter == ".":
            if ELLIPSIS in labels[-1]:
                raise RuntimeError(
                    f"einsum(): found '.' for operand {len(labels) - 1} for which an ellipsis was already found"
                )
            if left[i : i + 3] != "...":
                raise RuntimeError(f"einsum(): found '.' for operand {len(labels) - 1} that is not part of any ellipsis")
            labels[-1].append(ELLIPSIS)
            i += 2
        elif letter == ",":
            labels.append([])
            if len(labels) > count:
                raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
        elif letter != " ":
            labels[-1].append(checked(letter, i))
        i += 1
    if len(labels) < count:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return labels


def checked(letter: str, index: int) -> int:
    """The number of a letter of the equation.

    Raises:
        RuntimeError: no letter.
    """
    if not (letter.isascii() and letter.isalpha()):
        raise RuntimeError(f"einsum(): invalid subscript given at index {index} in the equation string, subscripts must be in [a-zA-Z]")
    return number(letter)


def laid_out(right: str | None, labels: list[list[int]], operands: Sequence[Tensor]) -> Layout:
    """The order of dimensions: those of the output first, then the ones to be summed.

    Raises:
        RuntimeError: subscripts that do not fit the operands' dimensions.
    """
    layout, counts = Layout(), dict.fromkeys(range(ELLIPSIS), 0)
    for i, (own, operand) in enumerate(zip(labels, operands, strict=True)):
        named, ndim = sum(s != ELLIPSIS for s in own), operand.ndim
        has_ellipsis = ELLIPSIS in own
        if named != ndim and not has_ellipsis or named > ndim:
            if has_ellipsis:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({named}) is more than the number of dimensions ({ndim}) for operand {i}"
                )
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) does not match the number of dimensions ({ndim}) "
                f"for operand {i} and no ellipsis was given"
            )
        if has_ellipsis:
            layout.ellipsis = max(layout.ellipsis, ndim - named)
        for s in own:
            if s != ELLIPSIS:
                counts[s] += 1
    output = explicit(right, counts) if right is not None else implicit(labels, counts)
    place = 0
    for s in output:
        layout.place[s] = place
        place += layout.ellipsis if s == ELLIPSIS else 1
    layout.output = place
    if ELLIPSIS not in layout.place and any(ELLIPSIS in own for own in labels):
        layout.place[ELLIPSIS] = place
        place += layout.ellipsis
    for s in range(ELLIPSIS):
        if counts[s] > 0 and s not in layout.place:
            layout.place[s] = place
            place += 1
    layout.total = place
    return layout


def implicit(labels: list[list[int]], counts: dict[int, int]) -> list[int]:
    """Without an arrow: the ellipsis, then what occurs once, in alphabetical order."""
    return [*([ELLIPSIS] if any(ELLIPSIS in own for own in labels) else []), *(s for s in range(ELLIPSIS) if counts[s] == 1)]


def explicit(right: str, counts: dict[int, int]) -> list[int]:
    """The subscripts after the arrow.

    Raises:
        RuntimeError: one is twice there, or in no operand.
    """
    output: list[int] = []
    i = 0
    while i < len(right):
        letter = right[i]
        if letter == ".":
            if ELLIPSIS in output:
                raise RuntimeError("einsum(): found '.' for output but an ellipsis (...) was already found")
            if right[i : i + 3] != "...":
                raise RuntimeError("einsum(): found '.' for output that is not part of any ellipsis (...)")
            output.append(ELLIPSIS)
            i += 2
        elif letter != " ":
            s = checked(letter, i)
            if s in output:
                raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
            if not counts[s]:
                raise RuntimeError(
                    f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
                )
            output.append(s)
        i += 1
    return output


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
            first = layout.ellipsis - hidden
            for k in range(layout.ellipsis):
                if k < first:
                    continue
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
    return operand.permute(order)  # type: ignore[no-any-return]


def sizes_agree(permuted: list[Tensor], labels: list[list[int]], layout: Layout) -> None:
    """Raises:
    RuntimeError: a subscript with two lengths (neither of them one).
    """
    by_place = {place: s for s, place in layout.place.items() if s != ELLIPSIS}
    for place in range(layout.total):
        known = 1
        for i, operand in enumerate(permuted):
            size = operand.shape[place]
            if size != 1 and known != 1 and size != known:
                which = f"subscript {letter(by_place[place])}" if place in by_place else "dimension hidden by the ellipsis"
                raise RuntimeError(
                    f"einsum(): {which} has size {size} for operand {i} which does not broadcast with previously seen size {known}"
                )
            known = size if size != 1 else known


def multiplied(permuted: list[Tensor], layout: Layout) -> Tensor:
    """The operands' product from left to right, each dimension summed as soon as nothing more needs it."""
    output, total = layout.output, layout.total
    result = permuted[0]
    if len(permuted) == 1:
        return result.sum(list(range(output, total))) if total > output else result  # type: ignore[no-any-return]
    users = {d: sum(o.shape[d] != 1 for o in permuted) for d in range(output, total)}
    for other in permuted[1:]:
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
    return result.view(result.shape[:output]) if total > output else result  # type: ignore[no-any-return]


def sum_of_products(left: Tensor, right: Tensor, away: list[int]) -> Tensor:
    """``Σ left·right`` over the given dimensions (which keep length one), by one batched matrix product."""
    ndim = left.ndim
    both: list[int] = []
    only_left: list[int] = []
    only_right: list[int] = []
    summed = 1
    shape = []
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
    batch = [left.shape[d] for d in both]
    rows, columns = [left.shape[d] for d in only_left], [right.shape[d] for d in only_right]
    left = left.permute([*both, *only_left, *away, *only_right])
    right = right.permute([*both, *away, *only_right, *only_left])
    count, height, width = product_of(batch), product_of(rows), product_of(columns)
    result = left.reshape(count, height, summed).bmm(right.reshape(count, summed, width))
    shape = [*batch, *rows, *[1] * len(away), *columns]
    order = [*both, *only_left, *away, *only_right]
    back = [0] * ndim
    for i, d in enumerate(order):
        back[d] = i
    return result.view(shape).permute(back)  # type: ignore[no-any-return]


def product_of(lengths: Sequence[int]) -> int:
    """Their product, one for none."""
    total = 1
    for length in lengths:
        total *= length
    return total


@composite(at="torch")
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sums products over pairs of dimensions: the last ``dims`` of a with the first of b, or two lists of dimensions.

    Raises:
        RuntimeError: dimensions that cannot be paired.
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, list | tuple):
        left, right = ([d] if isinstance(d, int) else list(d) for d in dims)
    else:
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        left, right = list(range(-dims, 0)), list(range(dims))
    return paired(a, b, left, right)


def paired(a: Tensor, b: Tensor, left: list[int], right: list[int]) -> Tensor:
    """One matrix product over the paired dimensions.

    Raises:
        RuntimeError: lists of different lengths, or dimensions that do not match.
    """
    if len(left) != len(right):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype != b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    first, second = [d % max(a.ndim, 1) for d in left], [d % max(b.ndim, 1) for d in right]
    summed = 1
    for one, two, given_one, given_two in zip(first, second, left, right, strict=True):
        size, other = a.shape[one], b.shape[two]
        if other == 1 and size != 1:
            a = a.sum(one, True)
        elif size == 1 and other != 1:
            b = b.sum(two, True)
        elif size != other:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {size} in dim {given_one} and second has size "
                f"{other} in dim {given_two}"
            )
        else:
            summed *= size
    free_a, free_b = [d for d in range(a.ndim) if d not in first], [d for d in range(b.ndim) if d not in second]
    rows, columns = [a.shape[d] for d in free_a], [b.shape[d] for d in free_b]
    height, width = product_of(rows), product_of(columns)
    one = a.permute([*free_a, *left])
    two = b.permute([*right, *free_b])
    if height == width == 1:
        return whole_product(one, two).view([*rows, *columns])  # type: ignore[no-any-return]
    product = one.reshape(height, summed).mm(two.reshape(summed, width))
    return product.reshape([*rows, *columns])  # type: ignore[no-any-return]


def whole_product(a: Tensor, b: Tensor) -> Tensor:
    """``Σ a·b``: a dot product where both lie in memory without gaps."""
    if a.is_contiguous() and b.is_contiguous():
        return a.flatten().dot(b.flatten())  # type: ignore[no-any-return]
    return (a.squeeze() * b.squeeze()).sum()  # type: ignore[no-any-return]


@composite()
def inner(self: Tensor, other: Tensor) -> Tensor:
    """Sums products over the last dimension of both; with a 0-d tensor, the product.

    Raises:
        RuntimeError: last dimensions of different lengths.
    """
    if not self.ndim or not other.ndim:
        return self * other
    if self.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(self.shape)} and {list(other.shape)}"
        )
    return paired(self, other, [-1], [-1])


@composite()
def kron(self: Tensor, other: Tensor) -> Tensor:
    """Every element of the left matrix times the whole right one, laid out in blocks.

    Raises:
        TypeError: the second is no tensor.
    """
    if not isinstance(other, Tensor):
        raise TypeError(f"kron(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    ndim = max(self.ndim, other.ndim)
    one, two = ([1] * (ndim - t.ndim) + list(t.shape) for t in (self, other))
    left = unsafe_view(self, [n for size in one for n in (size, 1)])
    right = unsafe_view(other, [n for size in two for n in (1, size)])
    return unsafe_view(left * right, [a * b for a, b in zip(one, two, strict=True)])  # type: ignore[no-any-return]
