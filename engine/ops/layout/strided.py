"""``as_strided``: any window on the storage, and the gradient of a window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.ops.core.declare import view
from engine.ops.core.geometry import look, offset_in, owner_of, strides_of
from engine.ops.layout.copies import blank
from engine.tensor import Tensor, wrap


@view(
    formula="x",
    self=lambda grad, size, stride, storage_offset, self_geometry: window_backward(
        grad, self_geometry, tuple(size), tuple(stride), storage_offset
    ),
)
def as_strided(self: Any, size: Any, stride: Any, storage_offset: Any = None) -> Any:
    """Looks at the same numbers in steps of any length; an element seen twice gets both gradients."""
    return window(self, size, stride, storage_offset)


def window(array: np.ndarray, size: Sequence[int], stride: Sequence[int], offset: int | None) -> np.ndarray:
    """The storage of ``array`` seen with these lengths and steps (in elements) from ``offset``.

    Raises:
        RuntimeError: when the window reaches beyond the storage.
    """
    owner = owner_of(array)
    start = offset_in(array, owner) if offset is None else offset
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    reach = start + 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    item, held = array.itemsize, owner.nbytes
    if math.prod(size) and reach * item > held:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {start}, and itemsize {item} "
            f"requiring a storage size of {reach * item} are out of bounds for storage of size {held}"
        )
    return look(array, size, stride, start)


def positions(size: Sequence[int], stride: Sequence[int], start: int) -> np.ndarray:
    """Storage position of each element of a window."""
    grid = np.full(tuple(size), start, np.int64)
    for dim, (length, step) in enumerate(zip(size, stride, strict=True)):
        shape = [1] * len(size)
        shape[dim] = length
        grid += (np.arange(length) * step).reshape(shape)
    return grid


def window_backward(
    grad: Tensor, geometry: tuple[Any, Any, int], size: tuple[int, ...], stride: tuple[int, ...], offset: int | None
) -> Tensor:
    """The gradient for the tensor whose storage the window looks at, in PyTorch's steps, which its own graph shows.

    It is written into a storage, or added where elements are seen twice, and the tensor's own window on that is its gradient.
    """
    shape, strides, start = geometry
    if 0 in size or 0 in shape:
        return blank(grad, shape)
    for dim in reversed(range(len(size))):
        if size[dim] == 1:
            grad = grad.squeeze(dim)
        elif stride[dim] == 0:
            grad = grad.sum(dim)
    steps = [(n, s) for n, s in zip(size, stride, strict=True) if n != 1 and s]
    own_steps = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    begin = start if offset is None else offset
    shared = min(start, begin)
    begin, start = begin - shared, start - shared
    count = 1 + max(first + sum((n - 1) * s for n, s in taken) for first, taken in ((begin, steps), (start, own_steps)))
    storage = blank(grad, (count,))
    if overlap(steps):
        reached = positions([n for n, _ in steps], [s for _, s in steps], begin).reshape(-1)
        storage = storage.index_add(0, wrap(reached), grad.reshape(-1))
    else:
        as_strided(storage, [n for n, _ in steps], [s for _, s in steps], begin).copy_(grad)
    if overlap(own_steps):
        places = positions([n for n, _ in own_steps], [s for _, s in own_steps], start).reshape(-1)
        storage = storage / wrap(np.bincount(places, minlength=count).astype(storage._array.real.dtype))
    seen: Tensor = as_strided(storage, shape, strides, start)
    return seen


def overlap(steps: list[tuple[int, int]]) -> bool:
    """Whether a window of these lengths and steps may see an element twice, as PyTorch judges it."""
    reached = 0
    for length, step in sorted(steps, key=lambda pair: pair[1]):
        if step <= reached:
            return True
        reached += step * (length - 1)
    return False


def saved_for(base: Tensor, seen: Tensor) -> tuple[Any, ...]:
    """What an AsStridedBackward0 between ``base`` and its view ``seen`` keeps, in the order of its saved names."""
    array = np.asarray(seen._array)
    base_array = np.asarray(base._array)
    owner = owner_of(base_array)
    values = {
        "size": array.shape,
        "stride": strides_of(seen),
        "storage_offset": offset_in(array, owner_of(array)),  # another than the base's after `.data = …`
        "_self_geometry": (base_array.shape, strides_of(base), offset_in(base_array, owner)),
    }
    return tuple(values[name] for name in as_strided.node_type.saved_names)
