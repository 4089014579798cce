"""The memory under a tensor: its address and length, and methods that exchange or resize it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.declare import composite
from engine.ops.core.geometry import address, contiguous_strides, offset_of, storage_of, strides_of
from engine.ops.layout.strided import window
from engine.tensor import Tensor, materialise


class UntypedStorage:
    """``torch.UntypedStorage``: bytes, whatever they mean."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def data_ptr(self) -> int:
        """Address of the first byte: equal for tensors that share memory."""
        return address(self._array)

    def nbytes(self) -> int:
        """Number of bytes."""
        return self._array.nbytes

    size = nbytes

    def __len__(self) -> int:
        return self._array.nbytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self._array is other._array

    def __hash__(self) -> int:
        return id(self._array)


@composite(at="tensor")
def data_ptr(self: Tensor) -> int:
    """Address of the first element; only good for comparing."""
    return address(materialise(self)) if self._array.size else 0


@composite(at="tensor", aliases="storage")
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory it looks at, all of it."""
    return UntypedStorage(storage_of(self))


@composite(at="tensor")
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both look at the same storage in the same way."""
    same = storage_of(self) is storage_of(tensor) and self._array.shape == tensor._array.shape
    return same and strides_of(self) == strides_of(tensor) and offset_of(self) == offset_of(tensor)


@composite(at="tensor")
def set_(self: Tensor, source: Tensor | None = None) -> Tensor:
    """Looks at ``source``'s storage from now on; at none without it."""
    self._array = np.zeros(0, self._array.dtype) if source is None else materialise(source)
    return self


@composite(at="tensor")
def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Gives the tensor another shape on its storage, which grows if need be.

    Raises:
        RuntimeError: it requires grad.
    """
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    shape = tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], list | tuple) else tuple(sizes)
    if shape == self._array.shape:
        return self
    owner, start, count = storage_of(self), offset_of(self), math.prod(shape)
    if start + count > owner.size:
        grown = np.zeros(start + count, owner.dtype)
        grown[: owner.size] = owner.ravel(order="K")
        self._array = grown[start:].reshape(shape)
    else:
        self._array = window(owner, shape, contiguous_strides(shape), start)
    return self


@composite(at="tensor")
def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """`resize_` to the shape of another tensor."""
    resize_(self, the_template._array.shape)
    return self


@composite(at="tensor")
def is_shared(self: Tensor) -> bool:
    """Whether other processes see its memory: never here."""
    return False


@composite(at="tensor")
def share_memory_(self: Tensor) -> Tensor:
    """There is no other process to share with."""
    return self


@composite(at="tensor")
def is_pinned(self: Tensor) -> bool:
    """Whether its memory is pinned for an accelerator: never here."""
    return False
