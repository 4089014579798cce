"""``as_strided``: any window on the storage, and the gradient of a window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.ops.core.declare import operator, view
from engine.ops.core.geometry import look, offset_in, owner_of, strides_of
from engine.tensor import Tensor


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
            "requiring a "
            f"storage size of {reach * item} are out of bounds for storage of size {held}"
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
    """The gradient for the tensor whose storage the window looks at."""
    shape, strides, start = geometry
    begin = start if offset is None else offset
    place = positions(shape, strides, start)
    seen = positions(size, stride, begin)
    low = min(place.min(initial=start), seen.min(initial=start))
    count = int(max(place.max(initial=start), seen.max(initial=start)) - low + 1)
    return spread(grad, seen - low, place - low, count)


@operator(
    at="internal",
    name="window_spread",
    grad_fn="AsStridedBackwardBackward0",
    self=lambda grad, seen, place, count: collect(grad, seen, place, count),
)
def spread(self: Any, seen: Any, place: Any, count: int) -> Any:
    """``as_strided``'s derivative as an operation of its own."""
    flat = np.zeros(count, self.dtype)
    np.add.at(flat, seen.ravel(), np.asarray(self).ravel())
    times = np.bincount(place.ravel(), minlength=count)
    shared = times > 1
    if shared.any():
        flat[shared] = flat[shared] / times[shared]
    return flat[place]


@operator(
    at="internal",
    name="window_collect",
    grad_fn="AsStridedBackward0",
    self=lambda grad, seen, place, count: spread(grad, seen, place, count),
)
def collect(self: Any, seen: Any, place: Any, count: int) -> Any:
    """Reads a window's elements (shared ones as their mean); its gradient goes back by the same weights."""
    flat = np.zeros(count, self.dtype)
    times = np.bincount(place.ravel(), minlength=count)
    np.add.at(flat, place.ravel(), (np.asarray(self) / np.maximum(times[place], 1)).ravel())
    return flat[seen].astype(self.dtype)


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
