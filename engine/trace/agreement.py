"""When numbers are the same: up to the digits that are shown."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.trace.parts import Value

NEAR_ZERO = 1e-6
"""Numbers that differ by less are the same, however small they are: a trace keeps a few digits of each."""


def close(left: Any, right: Any, tolerance: float = 1e-4) -> bool:
    """Equal as floats of the trace's precision go, element by element; nan equals nan.

    A number stands for any number of equal elements, a row for any number of equal rows, and shapes with as many elements
    are the same.
    """
    if isinstance(left, float | int) and isinstance(right, float | int):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return math.isclose(left, right, rel_tol=tolerance, abs_tol=NEAR_ZERO)
    return any(_near(shaped, right, tolerance) for shaped in _shapings(np.squeeze(left), np.squeeze(right)))


def _shapings(found: Any, expected: Any) -> Iterator[Any]:
    """The ways in which an array may be repeated, or laid out anew, to another's shape: formulas do not show shapes."""
    if found.size == expected.size:
        yield found.reshape(expected.shape)
        return
    for axes in itertools.combinations(range(expected.ndim), found.ndim):
        if all(expected.shape[axis] == length for axis, length in zip(axes, found.shape, strict=True)):
            shape = [1] * expected.ndim
            for axis in axes:
                shape[axis] = expected.shape[axis]
            yield np.broadcast_to(found.reshape(shape), expected.shape)


def _near(found: Any, expected: Any, tolerance: float) -> bool:
    expected = np.squeeze(expected)
    finite = np.abs(expected[np.isfinite(expected)])
    slack = NEAR_ZERO + tolerance * 0.1 * float(finite.max(initial=0.0))
    return bool(np.allclose(found, expected, rtol=tolerance, atol=slack, equal_nan=True))


def numbers_of(value: Value | None, or_complex: bool = False) -> Any:
    """A value as a float, or as an array of all its elements; None where it does not hold them, or they are complex.

    ``or_complex``: complex ones too, to the four digits that a trace keeps of them.
    """
    if value is None or value.data is None or ("complex" in value.dtype and not or_complex):
        return None
    kind = complex if "complex" in value.dtype else float
    if not value.shape:
        return kind(value.data[0])
    return np.array([kind(element) for element in value.data]).reshape(value.shape)


def tolerance_of(value: Value) -> float:
    """How far what is computed from rounded numbers may lie from a value, relative to it."""
    return {"bfloat16": 2e-2, "float16": 4e-3}.get(value.dtype, 1e-3)
