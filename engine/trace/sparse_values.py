"""A sparse tensor's `Value`: what a dense one's is, with ``·`` where nothing is stored, or with the number of what is."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np

from engine.trace.parts import Value
from engine.trace.values import NOT_STORED, SPELLED_MATRIX, SPELLED_VECTOR, number, spelled, value_of

LARGEST = 1 << 16
"""Most elements of a tensor that is drawn as if it was dense; of a larger one only range and number of values are told."""


def sparse_value(array: Any, dtype: str) -> Value:
    """The `Value` of what a sparse tensor holds."""
    shape = list(array.shape)
    counted = f"{dtype} {shape}, {stored_elements(array)} stored"
    if array.size > LARGEST:
        return of_stored(array, shape, dtype, counted)
    value = value_of(array.dense(), dtype)
    if len(shape) in (1, 2) and 0 < array.size <= (SPELLED_VECTOR if len(shape) == 1 else SPELLED_MATRIX):
        return msgspec.structs.replace(value, text=with_gaps(array, shape))
    return msgspec.structs.replace(value, text=counted if value.text.startswith(dtype) else value.text)


def stored_elements(array: Any) -> int:
    """How many different elements have a value: a place that occurs twice counts once, a row that is stored whole by its length."""
    places = array.nnz if array.coalesced else len(np.unique(array.places()))
    return int(places * math.prod(array.dense_shape))


def with_gaps(array: Any, shape: list[int]) -> str:
    """Every element, ``·`` for those that are not stored."""
    stored = array.with_values(np.ones(array.values.shape, np.int64)).dense().reshape(-1)
    elements = array.dense().reshape(-1).tolist()
    texts = [spelled(element) if there else NOT_STORED for element, there in zip(elements, stored, strict=True)]
    if len(shape) == 1:
        return f"[{', '.join(texts)}]"
    rows = [", ".join(texts[start : start + shape[1]]) for start in range(0, len(texts), shape[1])]
    return "[[" + "], [".join(rows) + "]]"


def of_stored(array: Any, shape: list[int], dtype: str, text: str) -> Value:
    """Range and faults of a tensor that is too large to be written out: those of its values, and of the zeros between them."""
    values = array.values
    finite = np.isfinite(values) if values.dtype.kind in "fc" else np.ones(values.shape, bool)
    bad = int(values.size - np.count_nonzero(finite))
    nan = int(np.count_nonzero(np.isnan(values))) if bad else 0
    if values.dtype.kind == "c":
        return Value(shape, dtype, text, nonfinite=bad, nan=nan)
    low, high = (number(end.item()) for end in (values[finite].min(initial=0), values[finite].max(initial=0)))
    return Value(shape, dtype, text, None, None, low, high, bad, nan)
