"""Changing gradients between the two things they may be: tensors, and bare arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Currency:
    """Makes a tensor of an array; `engine.tensor` provides the means when it is imported."""

    wrap: Callable[[Any], Any]


currency = Currency()


def plus(one: Any, other: Any) -> Any:
    """The sum of two gradients, the second new: a sparse one is added to a dense one, never the other way round."""
    return one + other if one._strided else other + one


def wrapped(gradients: Sequence[Any]) -> list[Any]:
    """Arrays as untracked tensors; None stays."""
    wrap = currency.wrap
    return [None if g is None else wrap(g) for g in gradients]


def unwrapped(gradients: Sequence[Any]) -> list[Any]:
    """Tensors as arrays; None stays."""
    return [None if g is None else g._array for g in gradients]
