"""An ``einsum`` equation read: which dimension of which operand is which subscript, and in what order they go.

Subscripts are the numbers 0 to 51 for A to Z and a to z, and `ELLIPSIS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.tensor import Tensor

ELLIPSIS = 52
"""Its place among the subscripts, which are 0 to 51 for A to Z and a to z."""


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


def number(sign: str) -> int:
    """A is 0, a is 26: the inverse of `letter`."""
    return ord(sign) - ord("A") if sign.isupper() else ord(sign) - ord("a") + 26


class Layout:
    """Where each subscript's dimension stands once the operands are permuted, and how many come in the output."""

    __slots__ = ("ellipsis", "output", "place", "total")

    def __init__(self) -> None:
        self.place: dict[int, int] = {}
        self.output = self.ellipsis = self.total = 0


def operand_labels(left: str, count: int) -> list[list[int]]:
    """The subscripts of each operand.

    Raises:
        RuntimeError: an equation that is none, or not for this number of operands.
    """
    labels: list[list[int]] = [[]]
    i = 0
    while i < len(left):
        sign = left[i]
        if sign == ".":
            if ELLIPSIS in labels[-1]:
                raise RuntimeError(
                    f"einsum(): found '.' for operand {len(labels) - 1} for which an ellipsis was already found"
                )
            if left[i : i + 3] != "...":
                raise RuntimeError(
                    f"einsum(): found '.' for operand {len(labels) - 1} that is not part of any ellipsis"
                )
            labels[-1].append(ELLIPSIS)
            i += 2
        elif sign == ",":
            labels.append([])
            if len(labels) > count:
                raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
        elif sign != " ":
            labels[-1].append(checked(sign, i))
        i += 1
    if len(labels) < count:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return labels


def checked(sign: str, index: int) -> int:
    """The number of a letter of the equation, which stands there at ``index``.

    Raises:
        RuntimeError: no letter.
    """
    if not (sign.isascii() and sign.isalpha()):
        raise RuntimeError(
            f"einsum(): invalid subscript given at index {index} in the equation string, subscripts must be in [a-zA-Z]"
        )
    return number(sign)


def laid_out(right: str | None, start: int, labels: list[list[int]], operands: Sequence[Tensor]) -> Layout:
    """The order of dimensions: those of the output first, then the ones to be summed.

    Raises:
        RuntimeError: subscripts that do not fit the operands' dimensions.
    """
    layout, counts = Layout(), dict.fromkeys(range(ELLIPSIS), 0)
    for i, (own, operand) in enumerate(zip(labels, operands, strict=True)):
        named, ndim = sum(s != ELLIPSIS for s in own), operand.ndim
        has_ellipsis = ELLIPSIS in own
        if (named != ndim and not has_ellipsis) or named > ndim:
            if has_ellipsis:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({named}) is more than the number of "
                    f"dimensions ({ndim}) for operand {i}"
                )
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) does not match the number of "
                f"dimensions ({ndim}) for operand {i} and no ellipsis was given"
            )
        if has_ellipsis:
            layout.ellipsis = max(layout.ellipsis, ndim - named)
        for s in own:
            if s != ELLIPSIS:
                counts[s] += 1
    output = explicit(right, start, counts) if right is not None else implicit(labels, counts)
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
    return [
        *([ELLIPSIS] if any(ELLIPSIS in own for own in labels) else []),
        *(s for s in range(ELLIPSIS) if counts[s] == 1),
    ]


def explicit(right: str, start: int, counts: dict[int, int]) -> list[int]:
    """The subscripts after the arrow, which stand in the equation from ``start`` on.

    Raises:
        RuntimeError: one is twice there, or in no operand.
    """
    output: list[int] = []
    i = 0
    while i < len(right):
        sign = right[i]
        if sign == ".":
            if ELLIPSIS in output:
                raise RuntimeError("einsum(): found '.' for output but an ellipsis (...) was already found")
            if right[i : i + 3] != "...":
                raise RuntimeError("einsum(): found '.' for output that is not part of any ellipsis (...)")
            output.append(ELLIPSIS)
            i += 2
        elif sign != " ":
            s = checked(sign, start + i)
            if s in output:
                raise RuntimeError(f"einsum(): output subscript {sign} appears more than once in the output")
            if not counts[s]:
                raise RuntimeError(
                    f"einsum(): output subscript {sign} does not appear in the equation for any input operand"
                )
            output.append(s)
        i += 1
    return output
