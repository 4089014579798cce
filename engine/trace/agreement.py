"""When numbers are the same: up to the digits that are shown."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.trace.parts import Value


def close(left: Any, right: Any, tolerance: float = 1e-4) -> bool:
    """Equal as floats of the trace's precision go, element by element; nan equals nan.

    A number stands for any number of equal elements, and axes of length one count for nothing.
    """
    if isinstance(left, float | int) and isinstance(right, float | int):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return math.isclose(left, right, rel_tol=tolerance, abs_tol=1e-6)
    try:
        first, second = np.broadcast_arrays(np.squeeze(left), np.squeeze(right))
    except ValueError:
        return False
    finite = np.abs(second[np.isfinite(second)])
    slack = 1e-6 + tolerance * 0.1 * float(finite.max(initial=0.0))
    return bool(np.allclose(first, second, rtol=tolerance, atol=slack, equal_nan=True))


def numbers_of(value: Value | None) -> Any:
    """A value as a float, or as an array of all its elements; None where it does not hold them, or they are complex."""
    if value is None or value.data is None or "complex" in value.dtype:
        return None
    if not value.shape:
        return float(value.data[0])
    return np.array([float(element) for element in value.data]).reshape(value.shape)
