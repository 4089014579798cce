"""Strides and storage offsets in elements, as PyTorch counts them (numpy counts bytes)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.tensor import Tensor, materialise


def strides_of(tensor: Tensor) -> tuple[int, ...]:
    """Elements to skip per dimension."""
    array = tensor._array
    if isinstance(array, np.generic) or not array.ndim:
        return ()
    size = array.itemsize
    if not array.size:
        return contiguous_strides(array.shape)
    return tuple(s // size for s in array.strides)


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides of a shape."""
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def storage_of(tensor: Tensor) -> Any:
    """The array that owns the memory."""
    array = materialise(tensor)
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def offset_of(tensor: Tensor) -> int:
    """Elements between the start of the storage and the tensor's first element."""
    array, owner = materialise(tensor), storage_of(tensor)
    return (array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]) // array.itemsize
