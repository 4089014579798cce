"""The dimensions a reduction removes: one or several, None or nothing for all; and putting them back."""

from __future__ import annotations

from typing import Any

from engine.ops.core.dimension import whole, wrapped_all
from engine.tensor import Tensor

UNSET: Any = "unset"
"""Stands where no dimension is given, for functions that take no None there."""


def wrap_dims(dims: Any, ndim: int) -> tuple[int, ...]:
    """Dimensions counted from the front; None and an empty tuple mean all.

    Raises:
        IndexError: one is out of range.
        RuntimeError: one is named twice.
    """
    if dims is None or (isinstance(dims, list | tuple) and not dims):
        return tuple(range(ndim))
    found = wrapped_all(dims, ndim)
    return found if ndim else ()


def as_tuple(dims: Any) -> tuple[int, ...]:
    """``(0,)`` for ``0`` and for a tensor that holds it; a list as a tuple.

    Raises:
        TypeError: for anything that is no whole number.
    """
    return tuple(dims) if isinstance(dims, list | tuple) else (whole(dims, "dim"),)


def dims_or_none(dims: Any) -> tuple[int, ...] | None:
    """What PyTorch saves of an ``int[1]? dim``: a tuple, or None."""
    return None if dims is None else as_tuple(dims)


def restored(reduced: Tensor, dims: Any, keepdim: bool, ndim: int) -> Tensor:
    """A reduction's result (or its gradient) with the reduced dimensions back, at length one.

    One number stays as it is: it fits every shape.
    """
    if not keepdim and ndim and dims is not None and dims != ():
        for d in sorted(wrap_dims(dims, ndim)):
            reduced = reduced.unsqueeze(d)
    return reduced
