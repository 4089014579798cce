"""Dimension numbers: negative ones count from the end, and every operator refuses the others in the same words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def wrapped(dim: Any, ndim: int) -> int:
    """``dim`` counted from the front; a 0-d tensor passes for one of one dimension.

    Raises:
        IndexError: PyTorch's "Dimension out of range".
        TypeError: for anything but a whole number.
    """
    if not isinstance(dim, int):
        dim = whole(dim, "dim")
    count = ndim or 1
    if not -count <= dim < count:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})")
    return dim + count if dim < 0 else dim


def wrapped_all(dims: Any, ndim: int) -> tuple[int, ...]:
    """Several dimensions, counted from the front and each named once.

    Raises:
        RuntimeError: when a dimension is named twice.
    """
    found = tuple(wrapped(d, ndim) for d in (dims if isinstance(dims, Iterable) else (dims,)))
    for i, dim in enumerate(found):
        if dim in found[:i]:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return found


def whole(value: Any, name: str) -> int:
    """A Python int out of anything that stands for one (numpy integers, one-element integer tensors).

    Raises:
        TypeError: for a float, a string, …
    """
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        raise TypeError(f"argument '{name}' must be int, not {type(value).__name__}") from None
