"""In which order the elements of a stored gradient lie: as its tensor's do, if those fill their memory."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_dense(array: Any) -> bool:
    """Whether its elements fill a stretch of memory without gaps or overlaps."""
    steps = sorted((s, n) for s, n in zip(array.strides, array.shape, strict=True) if n != 1)
    expected = array.itemsize
    for step, length in steps:
        if step != expected:
            return False
        expected *= length
    return True


def copied_like(gradient: Any, array: Any) -> Any:
    """A copy of ``gradient`` with the strides of ``array`` (of the same shape), or in row order if that has gaps or overlaps."""
    if isinstance(gradient, np.generic):
        return gradient
    if (
        isinstance(array, np.generic)
        or array.flags.c_contiguous
        or array.shape != gradient.shape
        or not is_dense(array)
    ):
        return gradient.copy()
    made = np.empty_like(array, gradient.dtype, order="K")
    made[...] = gradient
    return made
