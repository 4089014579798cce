"""Dimension numbers and common shapes, with PyTorch's refusals in one place."""

from __future__ import annotations

from contextlib import suppress
from typing import Any


def wrapped(dim: Any, ndim: int) -> int:
    """``dim`` counted from the front; a 0-d tensor passes for one of one dimension.

    Raises:
        IndexError: PyTorch's "Dimension out of range".
        TypeError: for anything but a whole number.
    """
    number = whole(dim, "dim")
    count = ndim or 1
    if not -count <= number < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {number})"
        )
    return number + count if number < 0 else number


def wrapped_of_some(dim: Any, ndim: int) -> int:
    """`wrapped`, where a 0-d tensor passes for nothing.

    Raises:
        IndexError: there is no such dimension, or none at all.
    """
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrapped(dim, ndim)


def wrapped_all(dims: Any, ndim: int) -> tuple[int, ...]:
    """Several dimensions, counted from the front and each named once.

    Raises:
        RuntimeError: when a dimension is named twice.
    """
    found = tuple(wrapped(d, ndim) for d in (dims if isinstance(dims, list | tuple) else (dims,)))
    for i, dim in enumerate(found):
        if dim in found[:i]:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return found


def whole(value: Any, name: str) -> int:
    """A Python int out of anything that stands for one (numpy integers, one-element integer tensors).

    Raises:
        TypeError: for a float, a string, … and for True, which is no number to PyTorch.
    """
    if type(value) is int:
        return value
    if not isinstance(value, bool):
        with suppress(AttributeError, TypeError):
            return int(value.__index__())
    raise TypeError(f"argument '{name}' must be int, not {type(value).__name__}")


def common_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """What two shapes broadcast to.

    Raises:
        RuntimeError: PyTorch's "The size of tensor a … must match the size of tensor b".
    """
    longest = max(len(a), len(b))
    long_a, long_b = (1,) * (longest - len(a)) + a, (1,) * (longest - len(b)) + b
    for dim in reversed(range(longest)):
        if long_a[dim] != long_b[dim] and 1 not in (long_a[dim], long_b[dim]):
            raise RuntimeError(
                f"The size of tensor a ({long_a[dim]}) must match the size of tensor b ({long_b[dim]}) at "
                f"non-singleton dimension {dim}"
            )
    return tuple(m if n == 1 else n for n, m in zip(long_a, long_b, strict=True))
