"""``Tensor.dim_order``: dimensions from the outermost in memory to the innermost, and whether that can be told."""

from __future__ import annotations

from typing import Any

from engine.ops.core.arrangement import axes_by_step
from engine.ops.core.declare import composite
from engine.ops.core.geometry import strides_of
from engine.ops.layout.copies import is_contiguous
from engine.placement import memory_format as MemoryFormat
from engine.tensor import Tensor


@composite(at="tensor")
def dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """Dimensions from the outermost in memory to the innermost.

    ``ambiguity_check`` refuses tensors of which several orders are true; of a list of memory formats, exactly one must fit those.

    Raises:
        TypeError: the check is neither a truth value nor a list of memory formats.
        RuntimeError: the order is ambiguous.
        AttributeError: a sparse tensor.
    """
    if not self._strided:
        raise AttributeError(
            f"Can't get dim order on sparse type: {self.type()} Use Tensor.to_dense() to convert to a dense tensor first."
        )
    check_formats(ambiguity_check)
    shape, strides = self._array.shape, strides_of(self)
    if ambiguity_check is not False:
        refuse_ambiguity(self, strides, [] if ambiguity_check is True else ambiguity_check)
    elif is_contiguous(self):
        return tuple(range(len(shape)))
    return tuple(axes_by_step(shape, [strides]))


def check_formats(check: Any) -> None:
    """Raises TypeError: neither a truth value nor a list of memory formats."""
    if not isinstance(check, bool) and not (
        isinstance(check, list) and all(isinstance(each, MemoryFormat) for each in check)
    ):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")


def refuse_ambiguity(tensor: Tensor, strides: tuple[int, ...], formats: list[Any]) -> None:
    """Raises RuntimeError: several orders are true."""
    repeated = any(one == other for one, other in zip(strides, strides[1:], strict=False))
    if repeated or 1 in tensor._array.shape:
        fitting = [form for form in formats if is_contiguous(tensor, form)]
        if len(fitting) != 1:
            raise RuntimeError(
                "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
            )
    if len(set(strides)) < len(strides) or (0 in strides and len(strides) > 1):
        raise RuntimeError("The tensor does not have unique dim order.")
