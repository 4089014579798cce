"""Strides and storage offsets in elements, as PyTorch counts them (numpy counts bytes)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.storage import materialise
from engine.tensor import Tensor


def strides_of(tensor: Tensor) -> tuple[int, ...]:
    """Elements to skip per dimension."""
    array = tensor._array
    if isinstance(array, np.generic) or not array.ndim:
        return ()
    size = array.itemsize
    if not array.size and not any(array.strides):
        return contiguous_strides(array.shape)  # numpy gives fresh empty arrays no strides at all
    return tuple(s // size for s in array.strides)


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides of a shape."""
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory that ``array`` looks at."""
    while array.base is not None:
        base = array.base
        if not isinstance(base, np.ndarray):
            base = getattr(base, "base", None)  # what numpy's as_strided puts between a window and its array
            if not isinstance(base, np.ndarray):
                return array
        array = base
    return array


def address(array: np.ndarray) -> int:
    """Where an array begins in memory."""
    start: int = array.__array_interface__["data"][0]
    return start


def offset_in(array: np.ndarray, owner: np.ndarray) -> int:
    """Where ``array`` begins in ``owner``'s memory, in elements."""
    return 0 if array is owner else (address(array) - address(owner)) // array.itemsize


def look(array: np.ndarray, size: Sequence[int], stride: Sequence[int], begin: int | None = None) -> np.ndarray:
    """The memory of ``array`` seen with these lengths and steps (in elements), from ``begin`` if given."""
    item = array.itemsize
    if array.base is None:
        owner, start = array, begin or 0
    else:
        owner = owner_of(array)
        start = offset_in(array, owner) if begin is None else begin
    strides = tuple([s * item for s in stride])
    if not owner.flags.forc:  # it owns its memory, so it fills it in some order of its axes
        owner = owner.transpose(sorted(range(owner.ndim), key=lambda axis: -owner.strides[axis]))
    if 0 in size:  # to numpy even nothing must begin inside the memory
        start = min(start, owner.size)
    return np.ndarray(tuple(size), array.dtype, owner, start * item, strides)


def storage_of(tensor: Tensor) -> Any:
    """The array that owns the memory."""
    return owner_of(materialise(tensor))


def offset_of(tensor: Tensor) -> int:
    """Elements between the start of the storage and the tensor's first element."""
    array = materialise(tensor)
    return offset_in(array, owner_of(array))


def reshape_storage(tensor: Tensor, shape: Sequence[int]) -> None:
    """Lays a tensor out anew, row by row from where it begins; its storage grows if need be."""
    owner, start, count = storage_of(tensor), offset_of(tensor), math.prod(shape)
    if start + count > owner.size:
        grown = np.zeros(start + count, owner.dtype)
        grown[: owner.size] = owner.ravel(order="K")
        tensor._array = grown[start:].reshape(shape)
    else:
        tensor._array = look(owner, shape, contiguous_strides(shape), start)
