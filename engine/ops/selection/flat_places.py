"""Elements by their number in the flattened tensor: `take`, `put`; and `take_along_dim`, which broadcasts first."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import common_shape, wrapped
from engine.ops.layout.copies import blank
from engine.ops.selection.scattering import gather
from engine.tensor import Tensor, wrap


def check_places(function: str, array: Any, index: Any) -> None:
    """Raises RuntimeError: for an index of another dtype; IndexError: for a number beyond the elements."""
    if index.dtype != np.int64:
        raise RuntimeError(f"{function}(): Expected a long tensor for index, but got {scalar_type(index)}")
    if not array.size and index.size:
        raise IndexError(f"{function}(): tried to take from an empty tensor")
    flat = np.ravel(index)
    wrong = (flat < -array.size) | (flat >= array.size)
    if wrong.any():
        raise IndexError(f"out of range: tried to access index {flat[wrong][0]} on a tensor of {array.size} elements.")


@operator(
    order="rows",
    formula="x[i]",
    saves="index self",
    self=lambda grad, index, self_shape: blank(grad, self_shape).put(index, grad, True),
)
def take(self: Any, index: Any) -> Any:
    """Picks elements by their number in the flattened tensor; one picked several times adds up all their gradients."""
    check_places("take", self, index)
    return np.ravel(self)[index]


@operator(
    order="first",
    inplace=True,
    formula="x, x[i] ← s",
    saves="accumulate index source",
    self=lambda grad, index, accumulate, source_shape: (
        grad if accumulate else grad.put(index, blank(grad, source_shape))
    ),
    source=lambda grad, index, source_shape: take(grad, index).reshape(source_shape),
)
def put(self: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Writes (or adds) elements by their number in the flattened tensor; what was overwritten gets zero.

    Raises:
        RuntimeError: another dtype.
        IndexError: other numbers of places and values.
    """
    if index.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {scalar_type(index)}")
    if np.size(source) != np.size(index):
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{np.size(source)}, index.numel() = {np.size(index)}"
        )
    if source.dtype != self.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {scalar_type(self)} and "
            f"source.dtype = {scalar_type(source)}"
        )
    check_places("put_", self, index)
    flat = np.array(self).reshape(-1)
    if accumulate:
        np.add.at(flat, np.ravel(index), np.ravel(source))
    else:
        flat[np.ravel(index)] = np.ravel(source)
    return flat.reshape(np.shape(self))


def from_front(index: Tensor, length: int) -> Tensor:
    """Negative indices counted from the front instead."""
    array = index._array
    return wrap(np.where(array < 0, array + length, array)) if (array < 0).any() else index


@composite()
def take_along_dim(self: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """One element per index along a dimension, after broadcasting; without a dimension, of the flat tensor.

    Raises:
        RuntimeError: for an index of another dtype or number of dimensions.
    """
    if dim is None:
        return gather(self.view(-1), 0, from_front(indices, self._array.size).view(-1))
    if indices._array.dtype != np.int64:
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long but got " + scalar_type(indices))
    if self._array.ndim != indices._array.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{self._array.ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    place = wrapped(dim, self._array.ndim)
    ours, theirs = list(self._array.shape), list(indices._array.shape)
    shape = common_shape((*ours[:place], 1, *ours[place + 1 :]), (*theirs[:place], 1, *theirs[place + 1 :]))
    source = self.broadcast_to((*shape[:place], ours[place], *shape[place + 1 :]))
    index = from_front(indices, ours[place]).broadcast_to((*shape[:place], theirs[place], *shape[place + 1 :]))
    return gather(source, place, index)


@composite(at="torch")
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Numbers in a flattened tensor as one index per dimension.

    Raises:
        TypeError: no whole numbers.
        ValueError: a negative length.
    """
    if indices._array.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    lengths = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    if any(n < 0 for n in lengths):
        raise ValueError(f"'shape' cannot have negative values, but got {lengths}")
    places, step = np.empty((*np.shape(indices._array), len(lengths)), indices._array.dtype), 1
    for number in reversed(range(len(lengths))):
        places[..., number] = indices._array // step % lengths[number] if lengths[number] else 0
        step *= lengths[number]
    return wrap(places).unbind(-1)
