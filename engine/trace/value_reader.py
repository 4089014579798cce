"""Tensors' values as steps tell them, within a budget; those of larger tensors are worked out many at a time.

A call of numpy's takes as long as reading a thousand elements. So a larger tensor is only copied when a step tells of it. Its
range and its thumbnail are found together with those of all others of its form, before anybody looks.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np

from engine.ops.meta.arrays import MetaArray
from engine.trace.parts import Value
from engine.trace.values import WHOLE, dtype_name, text_of, thumbnails_of, value_of, value_of_number

LARGEST = 4096
"""Most elements of a tensor that waits for others: with more of them the reading costs more than the calls do."""
WAITING = 1 << 18
"""Elements that wait at most, a megabyte or two."""
complete = msgspec.structs.force_setattr
WAITS = frozenset({"float32", "float64"})
"""What tensors of a training run hold."""


class ValueReader:
    """Reads values. Those of larger tensors have a form and a text at once, and the rest after `settle`."""

    def __init__(self, budget: int) -> None:
        """``budget``: estimated JSON bytes of elements; beyond it values are kept as text and shape only."""
        self._left = budget
        self._forms: dict[tuple[tuple[int, ...], str], _Form] = {}
        self._room = WAITING

    def read(self, array: Any) -> Value:
        """The value of a numpy array or scalar as it is now."""
        dtype, size = dtype_name(array.dtype), array.size
        if size == 1 and self._left >= NUMBER and type(array) is not MetaArray:
            self._left -= NUMBER
            return value_of_number(array, dtype)
        if WHOLE < size <= LARGEST and dtype in WAITS and type(array) is np.ndarray:
            form = self._forms.get((array.shape, dtype))
            if form is None:
                form = self._forms[array.shape, dtype] = _Form(array.shape, dtype)
            if form.cost <= self._left:
                return self._later(form, array)
        return self.afford(value_of(array, dtype))

    def _later(self, form: _Form, array: Any) -> Value:
        self._left -= form.cost
        self._room -= array.size
        if self._room < 0:
            self.settle()
        value = Value(form.shape, form.dtype, form.text)
        form.values.append(value)
        form.arrays.append(array.copy())
        return value

    def settle(self) -> None:
        """Completes all values that were read so far. To be called before they are looked at."""
        for form in self._forms.values():
            form.settle()
        self._room = WAITING

    def afford(self, value: Value) -> Value:
        """The value itself, or its text alone once the elements' budget is spent."""
        if value.data is not None:
            cost = data_cost(len(value.data))
        elif value.thumbnail is not None:
            cost = thumbnail_cost(sum(map(len, value.thumbnail)))
        else:
            return value
        if cost > self._left:
            return msgspec.structs.replace(value, data=None, thumbnail=None)
        self._left -= cost
        return value


class _Form:
    """Tensors of one shape and dtype whose values wait."""

    __slots__ = ("arrays", "cost", "dtype", "shape", "text", "values")

    def __init__(self, shape: tuple[int, ...], dtype: str) -> None:
        self.shape = list(shape)
        self.dtype = dtype
        self.text = text_of(self.shape, dtype, None)
        [cells] = thumbnails_of(np.empty((1, *shape), dtype=bool))
        self.cost = thumbnail_cost(sum(map(len, cells)))
        self.values: list[Value] = []
        self.arrays: list[Any] = []

    def settle(self) -> None:
        if not self.values:
            return
        arrays = np.array(self.arrays)
        elements = arrays.reshape(len(arrays), -1)
        # NaN, where there is one.
        lows, highs = np.minimum.reduce(elements, 1).tolist(), np.maximum.reduce(elements, 1).tolist()
        for value, array, low, high, cells in zip(
            self.values, self.arrays, lows, highs, thumbnails_of(arrays), strict=True
        ):
            # A value never changes once somebody has looked at it, and nobody has.
            if math.isfinite(low) and math.isfinite(high):
                complete(value, "thumbnail", cells)
                complete(value, "low", low)
                complete(value, "high", high)
            else:
                for name, field in msgspec.structs.asdict(value_of(array, self.dtype)).items():
                    complete(value, name, field)
        self.values.clear()
        self.arrays.clear()


def data_cost(elements: int) -> int:
    """JSON bytes of elements, roughly."""
    return 8 + 10 * elements


NUMBER = data_cost(1)


def thumbnail_cost(cells: int) -> int:
    """JSON bytes of a thumbnail, roughly."""
    return 20 + 20 * cells
