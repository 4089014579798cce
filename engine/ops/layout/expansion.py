"""Repeating: without copying (`expand`), with (`repeat`, `tile`), element by element (`repeat_interleave`)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type, tensor_type
from engine.ops.core.declare import composite, operator, view
from engine.ops.core.dimension import common_shape, wrapped
from engine.ops.core.geometry import look
from engine.ops.core.misuse import only_tensors
from engine.ops.layout.copies import blank
from engine.size import Size
from engine.tensor import Tensor


@view(at="tensor", formula="x", self=lambda grad, self_sym_sizes: summed_to(grad, self_sym_sizes))
def expand(self: Any, *size: Any, implicit: bool = False) -> Any:
    """Repeats along dimensions of length one without copying; going back, the copies' gradients are added."""
    shape, strides = expanded_geometry(self, tuple(map(index, size)))
    return look(self, shape, strides)


def expanded_geometry(array: np.ndarray, size: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """Shape and strides (in elements) of ``array`` repeated to ``size``.

    Raises:
        RuntimeError: when a length other than one would have to change.
    """
    if not array.ndim and min(size, default=0) >= 0:
        return list(size), [0] * len(size)
    lead = len(size) - array.ndim
    if lead < 0:
        raise RuntimeError(
            f"expand({tensor_type(array)}{{{list(array.shape)}}}, size={list(size)}): the number of sizes provided "
            f"({len(size)}) must be greater or equal to the number of dimensions in the tensor ({array.ndim})"
        )
    shape, strides = [0] * len(size), [0] * len(size)
    for i in reversed(range(len(size))):
        if i >= lead:
            have, step = array.shape[i - lead], array.strides[i - lead] // array.itemsize
        else:
            have, step = 1, shape[i + 1] * strides[i + 1] if i + 1 < len(size) and array.ndim else 0
            if size[i] < 0:
                raise RuntimeError(
                    f"The expanded size of the tensor ({size[i]}) isn't allowed in a leading, non-existing dimension "
                    f"{i}"
                )
        length = have if size[i] == -1 else size[i]
        if have not in (1, length):
            raise RuntimeError(
                f"The expanded size of the tensor ({length}) must match the existing size ({have}) at non-singleton "
                f"dimension {i}.  Target sizes: {list(size)}.  Tensor sizes: {list(array.shape)}"
            )
        shape[i], strides[i] = length, step if have == length else 0
    return shape, strides


def summed_to(grad: Tensor, shape: Sequence[int]) -> Tensor:
    """Adds up the gradients of the copies."""
    result = grad if shape and tuple(shape) == grad._array.shape else grad._sum_to(tuple(shape))
    assert result is not None
    return result


@composite(at="tensor")
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Repeats to the shape of another tensor."""
    return expand(self, other.shape)


@composite()
def broadcast_to(self: Tensor, *size: Any) -> Tensor:
    """Repeats to a shape."""
    return expand(self, *size)


@composite(at="torch")
def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that several shapes broadcast to.

    Raises:
        RuntimeError: when two lengths differ and neither is one, or for something that is no shape.
        ValueError: for a negative length.
    """
    for shape in shapes:
        if not isinstance(shape, int | tuple | list):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
    given = [(s,) if isinstance(s, int) else s for s in shapes]
    result = [1] * max((len(s) for s in given), default=0)
    for number, shape in enumerate(given):
        for place in range(-1, -len(shape) - 1, -1):
            length = shape[place]
            if length < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if length in (1, result[place]):
                continue
            if result[place] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {length} at {place}! Mismatching argument at "
                    f"index {number} had {shape}; but expected shape should be broadcastable to {result}"
                )
            result[place] = length
    return Size(result)


@composite(at="torch")
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """All tensors repeated to their common shape.

    Raises:
        RuntimeError: when two lengths differ and neither is one.
        TypeError: when one is no tensor: a list of tensors needs a star.
    """
    shape: tuple[int, ...] = ()
    for tensor in only_tensors(tensors):
        shape = common_shape(shape, tensor._array.shape)
    return tuple(t if t._array.shape == shape else expand(t, shape) for t in tensors)


@operator(
    at="tensor",
    formula="x x x",
    self=lambda grad, repeats, self_sym_sizes: repeat_backward(grad, repeats, self_sym_sizes),
)
def repeat(self: Any, *repeats: Any) -> Any:
    """Lays copies side by side; going back, the copies' gradients are added.

    Raises:
        RuntimeError: fewer repeats than dimensions, or negative ones.
    """
    if len(repeats) < np.ndim(self):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if any(n < 0 for n in repeats):
        lead = (1,) * (len(repeats) - np.ndim(self))
        size = [n * m for n, m in zip(repeats, lead + np.shape(self), strict=True)]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {size}")
    return np.tile(np.asarray(self), repeats)


def repeat_backward(grad: Tensor, repeats: Sequence[int], shape: Sequence[int]) -> Tensor:
    """Adds the copies' gradients: each dimension is split into (copy, place) and summed over the copies."""
    if 0 in repeats:
        return blank(grad, shape)
    lead = len(repeats) - len(shape)
    for _ in range(lead):
        grad = grad.sum(0)
    split: list[int] = []
    copies: list[int] = []
    for times, length in zip(repeats[lead:], shape, strict=True):
        if times != 1:
            copies.append(len(split))
            split.append(times)
        split.append(length)
    return grad.reshape(split).sum(copies) if copies else grad


@composite()
def tile(self: Tensor, *dims: Any) -> Tensor:
    """Like `repeat`, with missing repeats counted as one.

    Raises:
        TypeError: no repeats.
    """
    if not dims:
        raise TypeError('tile() missing 1 required positional arguments: "dims"')
    times = tuple(dims[0]) if len(dims) == 1 and isinstance(dims[0], list | tuple) else dims
    return repeat(self, (1,) * (self._array.ndim - len(times)) + times)


@composite()
def repeat_interleave(
    self: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Repeats each element in its place, a fixed number of times or one number for each.

    Raises:
        TypeError, NotImplementedError: for repeats that are no whole numbers.
        RuntimeError: for negative repeats, or not as many repeats as elements.
    """
    if repeats is None:
        counts = np.asarray(self._array)
        return Tensor._output_again(np.repeat(np.arange(len(counts)), counts), None, None, 0)
    source = self
    if dim is None:
        source, dim = self.flatten(), 0
    if not isinstance(repeats, Tensor | int | np.integer) or isinstance(repeats, bool):
        raise TypeError(
            f"repeat_interleave(): repeats must be a tensor or a whole number, not {type(repeats).__name__}"
        )
    if isinstance(repeats, Tensor) and repeats.is_meta:
        raise RuntimeError("cannot repeat_interleave a meta tensor without output_size")
    counts = np.asarray(repeats._array if isinstance(repeats, Tensor) else repeats)
    if counts.dtype.kind not in "iu":
        raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{scalar_type(repeats)}'")
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative" if counts.ndim else "Repeats must be non-negative")
    place = wrapped(dim, source._array.ndim)
    if not isinstance(repeats, Tensor) and not counts.ndim:
        return interleaved(source, int(repeats), place)
    length = source._array.shape[place] if source._array.ndim else 1
    if counts.size == 1:
        counts = np.broadcast_to(counts.reshape(1), (length,))
    elif counts.size != length:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
            f"input.size({place}) = {length}"
        )
    index = Tensor._output_again(np.repeat(np.arange(length), counts), None, None, 0)
    return source.index_select(place, index)


def interleaved(self: Tensor, times: int, dim: int) -> Tensor:
    """A fixed number of repeats: a new dimension, expanded, copied and merged."""
    source = self if self._array.ndim else self.reshape(1)
    spread = source.unsqueeze(dim + 1)
    shape = list(spread._array.shape)
    shape[dim + 1] = times
    return spread.expand(shape).clone(memory_format="contiguous_format").flatten(dim, dim + 1)
