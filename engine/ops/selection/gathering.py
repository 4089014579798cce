"""Reading and writing at the places that index tensors name: `index` and `index_put`, which stand behind ``x[…]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.dtype_names import c_type, scalar_type
from engine.ops.core.arrangement import axes_by_step, stored
from engine.ops.core.declare import composite, operator
from engine.ops.core.inplace import commit, value_of
from engine.ops.core.overlap import warn_of_overlap
from engine.ops.core.writable import check_writable
from engine.ops.layout.copies import blank
from engine.tensor import Tensor

Places = Sequence[Any]
"""One index array, mask or None per dimension (a mask stands for as many dimensions as it has)."""


@operator(
    at="internal",
    formula="x[i]",
    self=lambda grad, indices, self_sym_sizes: index_put(blank(grad, self_sym_sizes), indices, grad, True),
)
def index(self: Any, indices: Any) -> Any:
    """Picks elements by index tensors; one picked several times adds up all their gradients."""
    array = np.asarray(self)
    key = numpy_key(array.shape, indices)
    picked = array[key]
    if picked.flags.c_contiguous and array.flags.c_contiguous and 1 not in picked.shape:
        return picked
    return np.asarray(stored(picked, axes_by_step(picked.shape, picked_steps(array, key, picked.ndim))))


def picked_steps(array: Any, key: tuple[Any, ...], ndim: int) -> list[list[int]]:
    """Steps along the result's dimensions: of the array where it is taken whole, then of each index where that leads."""
    led = [dim for dim, part in enumerate(key) if not isinstance(part, slice)]
    indices = np.broadcast_arrays(*[np.asarray(key[dim]) for dim in led])
    width = ndim - (array.ndim - len(led))
    whole = [array.strides[dim] for dim in range(array.ndim) if dim not in led]
    before = led[0] if led and led[-1] - led[0] + 1 == len(led) else 0
    steps = [whole[:before] + [0] * width + whole[before:]]
    return steps + [[0] * before + list(i.strides) + [0] * (len(whole) - before) for i in indices]


def numpy_key(shape: tuple[int, ...], indices: Places) -> tuple[Any, ...]:
    """The same index for numpy, checked in PyTorch's words.

    Raises:
        IndexError: for a mask or shape that does not match, or an index beyond its dimension.
    """
    key: list[Any] = []
    shapes = []
    for given in indices:
        if given is None:
            key.append(slice(None))
            continue
        array = np.asarray(given)
        dim = len(key)
        if array.dtype.kind == "b" or array.dtype == np.uint8:
            for offset, length in enumerate(array.shape):
                if dim + offset >= len(shape) or shape[dim + offset] != length:
                    raise IndexError(
                        f"The shape of the mask {list(array.shape)} at index {offset} does not match the shape of the "
                        f"indexed tensor {list(shape)} at index {dim + offset}"
                    )
            found = array.astype(bool).nonzero()
            key += found
            shapes += [f.shape for f in found]
            continue
        if dim >= len(shape):
            raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
        length = shape[dim]
        if not length and array.size:
            raise IndexError("index is out of bounds for dimension with size 0")
        wrong = (array < -length) | (array >= length)
        if wrong.any():
            raise IndexError(
                f"index {array[wrong].ravel()[0]} is out of bounds for dimension {len(shapes)} with size {length}"
            )
        key.append(array)
        shapes.append(array.shape)
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        shown = ", ".join(str(list(s)) for s in shapes)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shown}"
        ) from None
    return tuple(key)


@operator(
    order="first",
    formula="x, x[i] ← v",
    name="index_put",
    at="internal",
    saves="accumulate indices",
    self=lambda grad, indices, accumulate, values_shape: (
        grad if accumulate else index_put(grad, indices, blank(grad, values_shape))
    ),
    values=lambda grad, indices: index(grad, indices),
)
def put_at(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Writes (or adds) values where index tensors point; they get the gradient there, and what was overwritten gets
    zero.

    Raises:
        RuntimeError: values of another shape or dtype.
    """
    result = np.array(self)
    key = numpy_key(result.shape, indices)
    refuse_filling_by_bytes(indices, values, accumulate)
    target = result[key].shape
    if not broadcasts(np.shape(values), target):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(np.shape(values))} cannot be broadcast to indexing result "
            f"of shape {list(target)}"
        )
    if values.dtype != result.dtype and not fills_a_mask(result, indices, values, accumulate):
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {scalar_type(result)} for the "
            f"destination and {scalar_type(values)} for the source."
        )
    if accumulate:
        np.add.at(result, key, values)
    else:
        result[key] = values
    return result


def fills_a_mask(result: Any, indices: Any, values: Any, accumulate: bool) -> bool:
    """Whether one value goes wherever a single mask is true: PyTorch fills there, and a filling number takes any dtype.

    Raises:
        RuntimeError: a complex value for real numbers.
    """
    mask = only_index(indices)
    fills = not accumulate and np.size(values) == 1 and mask is not None and mask.dtype.kind == "b"
    if fills and values.dtype.kind == "c" and result.dtype.kind != "c":
        raise RuntimeError(f"value cannot be converted to type {c_type(result)} without overflow")
    return fills


def refuse_filling_by_bytes(indices: Any, values: Any, accumulate: bool) -> None:
    """Raises RuntimeError: one value goes wherever a mask of bytes holds something, where PyTorch calls ``masked_fill_``."""
    if accumulate or np.size(values) != 1:
        return
    mask = only_index(indices)
    if mask is not None and mask.dtype == np.uint8:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {c_type(mask)}")


def only_index(indices: Any) -> Any:
    """The array that is the only index; None if there are several."""
    given = [np.asarray(index) for index in indices if index is not None]
    return given[0] if len(given) == 1 else None


def broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether a value of one shape can be repeated to another."""
    lead = len(target) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, target[lead:], strict=True))


put_impl = operator(
    formula="x, x[i] ← v",
    name="_index_put_impl_",
    grad_fn="IndexPutImplBackward0",
    at="internal",
    saves="accumulate indices",
    self=lambda grad, indices, accumulate, values_shape: (
        grad if accumulate else index_put(grad, indices, blank(grad, values_shape))
    ),
    values=lambda grad, indices: index(grad, indices),
)(put_at.definition)
"""The same where PyTorch derives ``x[i]``: its node has the name of the implementation."""


def checked(function: str, indices: Any, values: Any) -> list[Any]:
    """The indices as a list.

    Raises:
        TypeError: for indices that are no tuple of tensors, or values that are no tensor.
    """
    if isinstance(indices, Tensor) or not isinstance(indices, list | tuple):
        raise TypeError(
            f"{function}(): argument 'indices' (position 1) must be tuple of Tensors, not {type(indices).__name__}"
        )
    if not isinstance(values, Tensor):
        raise TypeError(f"{function}(): argument 'values' (position 2) must be Tensor, not {type(values).__name__}")
    return list(indices)


@composite()
def index_put(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with values written (or added) at the places that index tensors name."""
    return put_at(self, checked("index_put", indices, values), values, accumulate)


def is_one_mask(indices: Any) -> bool:
    """Whether the only index is a mask."""
    given = [index for index in indices if index is not None]
    return len(given) == 1 and given[0]._array.dtype.kind == "b"


@composite(name="index_put_")
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Writes (or adds) values at the places that index tensors name."""
    arguments = (self, checked("index_put_", indices, values), values, accumulate)
    check_writable(self, arguments)
    written = commit(self, value_of(put_at, arguments), "index_put_", put_at, arguments)
    if not accumulate and values._array.size == 1 and is_one_mask(indices):
        warn_of_overlap(self._array, "masked_fill_")  # which PyTorch calls for it
    return written


@operator(
    at="torch",
    name="_unsafe_masked_index",
    saves="indices mask self_sym_sizes",
    self=lambda grad, self_sym_sizes, mask, indices: unsafe_masked_index_put(
        blank(grad, self_sym_sizes), mask, indices, grad
    ),
)
def unsafe_masked_index(self: Any, mask: Any, indices: Any, fill: Any) -> Any:
    """Picks elements where a mask is set and a number elsewhere; what was picked gets the gradient."""
    picked = self[clamped_key(self.shape, indices)]
    return np.where(mask, picked, np.asarray(fill).astype(self.dtype))


@operator(
    at="torch",
    name="_unsafe_masked_index_put_accumulate",
    saves="indices mask",
    self=lambda grad: grad,
    values=lambda grad, mask, indices: unsafe_masked_index(grad, mask, indices, 0),
)
def unsafe_masked_index_put(self: Any, mask: Any, indices: Any, values: Any) -> Any:
    """Adds values at indexed places where a mask is set; they get the gradient there."""
    result = np.array(self)
    np.add.at(result, clamped_key(result.shape, indices), np.where(mask, values, 0))
    return result


def clamped_key(shape: tuple[int, ...], indices: Places) -> tuple[Any, ...]:
    """A numpy index with what is out of range moved to the nearest place in range."""
    return tuple(slice(None) if i is None else np.clip(i, -n, n - 1) for i, n in zip(indices, shape, strict=False))
