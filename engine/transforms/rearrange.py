"""``torch.func.rearrange``: dimensions split, moved and merged as a pattern says: ``"b (h w) c -> b c h w"``.

PyTorch binds first-class dimensions to the tensor and orders them, which leaves ``as_strided`` and ``reshape`` in the graph; so does this.
"""

from __future__ import annotations

import keyword
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor

ELLIPSIS = "…"
"""Stands for ``...``, one character as any other token."""
Group = tuple[str, ...]
"""The axes that one dimension is made of, outermost first; none for a dimension of length one."""


class DimensionBindError(Exception):
    """Lengths that the pattern gives to the dimensions do not fit the tensor."""


class Side(NamedTuple):
    """What stands on one side of the arrow."""

    groups: list[Group]
    nested_ellipsis: bool
    """Whether the ellipsis, if there is one, stands in parentheses."""

    @property
    def axes(self) -> list[str]:
        """All names, the ellipsis among them."""
        return [axis for group in self.groups for axis in group]


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Tensor:
    """The tensor (or the stack of several) with its dimensions as the right side of the pattern has them.

    Args:
        axes_lengths: lengths of axes that a dimension is split into.

    Raises:
        ValueError: a pattern that says nothing, or does not fit the number of dimensions.
        TypeError: lengths that are no whole numbers.
        DimensionBindError: lengths that do not fit.
    """
    whole: Tensor = tensor if isinstance(tensor, Tensor) else TABLES["torch"]["stack"](tensor)
    left, right = sides(pattern)
    check_lengths(left, right, axes_lengths)
    lengths, steps = bound(whole, left, axes_lengths)
    if not lengths or (left == right and left.axes == [ELLIPSIS]):
        return whole
    order = [axis for group in right.groups for axis in expanded(group, lengths)]
    dropped = [
        axis for axis in lengths if axis not in order
    ]  # without a name, meant to be of length one; no one checks
    split = whole.as_strided([*lengths.values()], [*steps.values()], whole.storage_offset())
    if (moved := dropped + order) != list(lengths):
        split = split.as_strided([lengths[a] for a in moved], [steps[a] for a in moved], split.storage_offset())
    shape = [length for group in right.groups for length in merged(group, lengths, right.nested_ellipsis)]
    made = split.reshape([*(lengths[axis] for axis in dropped), *shape])
    return made.sum(tuple(range(len(dropped)))) if dropped else made


def sides(pattern: str) -> tuple[Side, Side]:
    """The two sides of the arrow.

    Raises:
        ValueError: there is no arrow or more than one, or a side cannot be read or does not fit the other.
    """
    if pattern.count("->") != 1:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = map(side, pattern.split("->"))
    if ELLIPSIS in right.axes and ELLIPSIS not in left.axes:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if left.nested_ellipsis:
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    return left, right


def side(text: str) -> Side:
    """One side, read.

    Raises:
        ValueError: in PyTorch's words.
    """
    if "." in text.replace("...", "", 1):
        several = "; only one ellipsis for tensor " if "..." in text else ""
        raise ValueError(f"Expression may contain dots only inside ellipsis (...){several}")
    groups: list[Group] = []
    seen: set[str] = set()
    nested: list[str] | None = None
    nested_ellipsis = False
    for token in re.findall(r"\w+|\S", text.replace("...", ELLIPSIS)):
        if token == "(":
            if nested is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            nested = []
        elif token == ")":
            if nested is None:
                raise ValueError("Brackets are not balanced")
            groups.append(tuple(nested))
            nested = None
        elif token == "1":
            groups += [()] if nested is None else []
        else:
            check_axis(token, seen)
            nested_ellipsis |= token == ELLIPSIS and nested is not None
            if nested is None:
                groups.append((token,))
            else:
                nested.append(token)
    if nested is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{text}'")
    return Side(groups, nested_ellipsis)


def check_axis(token: str, seen: set[str]) -> None:
    """Raises ValueError: no name of an axis, or one that was there before."""
    if token in seen:
        raise ValueError(f"Indexing expression contains duplicate dimension '{token}'")
    seen.add(token)
    if token == ELLIPSIS:
        return
    if token.isdecimal():
        raise ValueError("rearrange only supports unnamed axes of size 1")
    if not re.fullmatch(r"\w+", token):
        raise ValueError(f"Unknown character '{token}'")
    if not token.isidentifier():
        raise ValueError(f"Invalid axis identifier: {token}\nnot a valid python identifier")
    if token.startswith("_") or token.endswith("_"):
        raise ValueError(f"Invalid axis identifier: {token}\naxis name should should not start or end with underscore")
    if keyword.iskeyword(token):
        warnings.warn(f"It is discouraged to use axes names that are keywords: {token}", RuntimeWarning, stacklevel=2)


def check_lengths(left: Side, right: Side, lengths: dict[str, int]) -> None:
    """Raises ValueError, TypeError: axes on one side only, or lengths of none of them or no whole numbers."""
    for length in lengths.values():
        if not isinstance(length, int):
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    named = set(left.axes), set(right.axes)
    if alone := (named[0] ^ named[1]) - {ELLIPSIS}:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {alone}")
    if unknown := lengths.keys() - named[0]:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")


def bound(tensor: Tensor, left: Side, given: dict[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Length and step of every axis of the tensor, in order.

    Raises:
        ValueError: not as many dimensions.
        DimensionBindError: lengths that do not fit.
    """
    count, has_rest = len(left.groups), ELLIPSIS in left.axes
    if count - has_rest > tensor.dim() or (not has_rest and count != tensor.dim()):
        wanted = "less than or equal to" if has_rest else "equal to"
        raise ValueError(
            f"Number of dimensions in pattern ({count - has_rest}) must be {wanted} the number of dimensions in the tensor "
            f"({tensor.dim()})"
        )
    rest = tensor.dim() - count + 1
    groups: list[Group] = []
    for group in left.groups:
        groups += (
            [(f"{ELLIPSIS}{n}",) for n in range(rest)] if group == (ELLIPSIS,) else [group or (f"1 at {len(groups)}",)]
        )
    lengths: dict[str, int] = {}
    steps: dict[str, int] = {}
    for group, whole, step in zip(groups, tensor.shape, tensor.stride(), strict=True):
        for axis, length, inner in divided(group, whole, given, len(lengths)):
            lengths[axis], steps[axis] = length, step * inner
    return lengths, steps


def divided(group: Group, whole: int, given: dict[str, int], first: int) -> Iterator[tuple[str, int, int]]:
    """The axes of one dimension, each with its length and how many steps of the dimension one of its own is.

    Raises:
        DimensionBindError: more than one length is unknown, or they do not make up the dimension.
    """
    known = [given.get(axis) for axis in group]
    names = [f"d{first + n}" for n in range(len(group))]
    unknown = [n for n, length in enumerate(known) if length is None]
    product = math.prod(length for length in known if length is not None)
    if len(unknown) > 1:
        raise DimensionBindError(
            f"cannot infer the sizes of two dimensions at once {names[unknown[0]]} and {names[unknown[1]]}"
        )
    if unknown and (whole % product if product else whole):
        shown = tuple("?" if length is None else length for length in known)
        raise DimensionBindError(f"inferred dimension does not evenly fit into larger dimension: {whole} vs {shown}")
    if not unknown and product != whole:
        pack = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
        raise DimensionBindError(
            f"Dimension sizes to do not match ({whole} != {product}) when matching dimension pack {pack}"
        )
    lengths = [whole // product if length is None else length for length in known]
    for number, axis in enumerate(group):
        yield axis, lengths[number], math.prod(lengths[number + 1 :])


def expanded(group: Group, lengths: dict[str, int]) -> list[str]:
    """The axes of a group, the ellipsis written out."""
    return [name for axis in group for name in (rest_of(lengths) if axis == ELLIPSIS else [axis])]


def merged(group: Group, lengths: dict[str, int], nested_ellipsis: bool) -> Sequence[int]:
    """The lengths of the dimensions that a group of the right side becomes: several only for a bare ellipsis."""
    found = [lengths[axis] for axis in expanded(group, lengths)]
    return found if group == (ELLIPSIS,) and not nested_ellipsis else [math.prod(found)]


def rest_of(lengths: dict[str, int]) -> list[str]:
    """The axes that the ellipsis stands for."""
    return [axis for axis in lengths if axis.startswith(ELLIPSIS)]
