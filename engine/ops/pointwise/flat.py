"""The gradient of what is flat."""

from __future__ import annotations

import numpy as np

from engine.tensor import Tensor, wrap


def zeros(like: Tensor) -> Tensor:
    """Zeros of that shape and dtype, outside the graph as ``zeros_like``: a flat function passes not even nan on."""
    array = like._array
    return wrap(np.zeros(array.shape, array.dtype) if array.ndim else array.dtype.type(0))


def constant(like: Tensor, value: float) -> Tensor:
    """One number of that dtype without dimensions."""
    return wrap(like._array.dtype.type(value))
