"""Bringing the dtypes of an operator's arguments together before its kernel runs.

``torch.result_type``'s three ranks (tensors with dimensions, 0-d tensors, Python numbers) are in `engine.dtype`; here they are
applied to a call's arrays in place. Each operator declares which kind it wants.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.core.arrangement import as_first
from engine.storage import ARRAYS

NUMBERS = (bool, int, float, complex)
REALS = frozenset({int, float})
"""Numbers that numpy itself fits to a floating array."""


class Promotion:
    """Casts the named arguments to their common dtype.

    Args:
        positions: which arguments take part.
        to_float: integers become the default floating type (``exp``, ``div``).
    """

    __slots__ = ("positions", "to_float")

    def __init__(self, positions: tuple[int, ...], to_float: bool = False) -> None:
        self.positions = positions
        self.to_float = to_float

    def apply(self, arrays: list[Any]) -> None:
        """Rewrites ``arrays`` so that the named ones share a dtype (Python floats among floats stay as they are)."""
        first = None
        for position in self.positions:
            array = arrays[position]
            if isinstance(array, ARRAYS):
                dtype = array.dtype
                if first is None:
                    first = dtype
                elif dtype is not first:
                    break
            elif first is None or first.kind != "f" or type(array) not in REALS:
                break
        else:
            if not self.to_float or first is None or first.kind in "fcV":
                return
        target = self.common([arrays[p] for p in self.positions]).array
        for position in self.positions:
            arrays[position] = cast(arrays[position], target)

    def common(self, arrays: list[Any]) -> dtypes.dtype:
        """The dtype in which the kernel will compute."""
        result = result_type(arrays)
        if self.to_float and result.category < dtypes.FLOAT:
            return dtypes.defaults.floating
        return result


def result_type(arrays: list[Any]) -> dtypes.dtype:
    """``torch.result_type`` of arrays and Python numbers (None and non-numbers do not count)."""
    ranks: list[dtypes.dtype | None] = [None, None, None]
    for array in arrays:
        if isinstance(array, ARRAYS):
            rank, dtype = (0 if array.ndim else 1), dtypes.BY_ARRAY[array.dtype]
        elif isinstance(array, NUMBERS):
            rank, dtype = 2, dtypes.of_scalar(array)
        else:
            continue
        held = ranks[rank]
        ranks[rank] = dtype if held is None else dtypes.promote(held, dtype)
    result = dtypes.combine(dtypes.combine(ranks[0], ranks[1]), ranks[2])
    assert result is not None
    return result


def cast(value: Any, target: np.dtype[Any]) -> Any:
    """An array in the target dtype, a Python number as a numpy scalar of it; anything else unchanged.

    Raises:
        TypeError: text among the operands.
    """
    if isinstance(value, ARRAYS):
        if value.dtype is target:
            return value
        cast = value.astype(target)
        return cast if value.ndim < 2 or value.flags.c_contiguous else as_first(cast, (value,))
    if isinstance(value, NUMBERS):
        return scalar(value, target)
    if isinstance(value, str) or (isinstance(value, list | tuple) and any(isinstance(v, NUMBERS) for v in value)):
        raise TypeError(f"an operand must be a Tensor or a number, not {type(value).__name__}")  # numpy would take it
    return value


def scalar(value: Any, target: np.dtype[Any]) -> Any:
    """A Python number as a numpy scalar; integers that do not fit wrap around, as in C."""
    if target.kind in "iu" and isinstance(value, int):
        return np.array(int(value) & (2**64 - 1), np.uint64).astype(target)[()]
    return np.asarray(value).astype(target)[()]
