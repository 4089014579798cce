"""Copies, and what decides whether one is needed: `clone`, `contiguous`, and the memory formats they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.ops.core.arrangement import preserving
from engine.ops.core.batching import with_mark
from engine.ops.core.declare import composite, operator
from engine.ops.core.inplace import InPlace
from engine.ops.core.memory_format import CHANNELS_LAST, channels_last
from engine.placement import memory_format as MemoryFormat
from engine.tensor import Tensor, wrap


@operator(formula="x", self=lambda grad: grad)
def clone(self: Any, *, memory_format: Any = None) -> Any:
    """A copy; the gradient passes through unchanged."""
    return copied(self, format_name(memory_format))


InPlace.cloning = clone


def require_format(memory_format: Any) -> None:
    """Raises TypeError: no memory format."""
    if memory_format is not None and not isinstance(memory_format, MemoryFormat):
        raise TypeError(f"argument 'memory_format' must be torch.memory_format, not {type(memory_format).__name__}")


def format_name(memory_format: Any) -> str:
    """``torch.channels_last`` → ``channels_last``."""
    return "preserve_format" if memory_format is None else str(memory_format).removeprefix("torch.")


def copied(array: Any, form: str) -> Any:
    """A copy with its elements in the order that a memory format asks for.

    Raises:
        RuntimeError: a channels-last format needs images (or volumes) with batch and channels.
    """
    if isinstance(array, np.generic):
        return array
    if form == "contiguous_format":
        return array.copy("C")
    if form in CHANNELS_LAST:
        return channels_last(array, form)
    made = preserving(array)
    made[...] = array
    return made


def lies_in(array: Any, form: str) -> bool:
    """Whether the elements already lie in a memory format's order."""
    if isinstance(array, np.generic):
        return True
    if form in CHANNELS_LAST:
        return array.ndim == len(CHANNELS_LAST[form]) and bool(array.transpose(CHANNELS_LAST[form]).flags.c_contiguous)
    return bool(array.flags.c_contiguous)


@composite(at="tensor")
def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """Itself, if its elements lie in order; else a copy that does.

    Raises:
        RuntimeError: a memory format that asks for nothing.
        TypeError: no memory format.
    """
    form = "contiguous_format"
    if memory_format is not None:
        require_format(memory_format)
        form = format_name(memory_format)
    if lies_in(self._array, form):
        return self
    if form == "preserve_format":
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return clone(self, memory_format=form)


@composite(at="tensor")
def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    """Whether the elements lie in memory in the order in which they are counted."""
    require_format(memory_format)
    return lies_in(self._array, "contiguous_format" if memory_format is None else format_name(memory_format))


def blank(like: Tensor, shape: Sequence[int] | None = None) -> Tensor:
    """Zeros of the dtype (and, unless told otherwise, the shape) of another tensor."""
    return with_mark(wrap(np.zeros(like._array.shape if shape is None else tuple(shape), like._array.dtype)), like)
