"""``x[…]``: how an index is taken apart, as PyTorch does, into views and at most one gather.

Integers select, slices slice, ``None`` adds a dimension: each is a view with a node of its own. Tensors, lists and
masks are collected and applied at the end in one `index` (reading) or `index_put` (writing). Writing to a view writes
through to its base.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.dtype_names import tensor_type
from engine.ops.core.batching import inside, is_captured, refuse_batch, refuse_captured_write
from engine.ops.core.overlap import check_no_overlap
from engine.ops.core.writable import check_writable
from engine.ops.layout.axes import alias, unsqueeze
from engine.ops.layout.slicing import END, select, slice_
from engine.ops.selection.gathering import index, index_put_
from engine.ops.tensors.moves import copy_, fill_, storable
from engine.tensor import Tensor, wrap

INDEXING = frozenset("lqiB?")
"""Dtypes of indices: long, int, byte and bool, as numpy abbreviates them."""


def get_item(self: Tensor, key: Any) -> Tensor:
    """``x[key]``.

    Raises:
        IndexError, TypeError: in PyTorch's words, for indices that do not fit.
    """
    kind = type(key)
    if kind is int:
        return picked(self, 0, key, 0)
    if kind is slice:
        return ranged(self, 0, key)
    if key is None:
        return unsqueeze.run((self, 0))
    if key is Ellipsis:
        return alias.run((self,))
    seen, gathers = taken_apart(self, as_tuple(key))
    if any(g is not None for g in gathers):
        warn_of_bytes(gathers)
        return index.run((seen, gathers))
    return alias.run((self,)) if seen is self else seen


def set_item(self: Tensor, key: Any, value: Any) -> None:
    """``x[key] = value``.

    Raises:
        IndexError, TypeError, RuntimeError: in PyTorch's words, for indices or values that do not fit.
    """
    if modes.layers and is_captured(self):
        refuse_captured_write("aten::copy_")
    source = as_value(self, value)
    if key is False:
        return
    if key is Ellipsis or key is None or key is True:
        put_into(self if key is Ellipsis else unsqueeze(self, 0), source)
        return
    if type(key) is int:
        put_into(picked(self, 0, key, 0), source)
        return
    if type(key) is slice:
        seen = self if covers(key, self._array.shape) else ranged(self, 0, key)
        put_into(seen, source)
        return
    seen, gathers = taken_apart(self, as_tuple(key))
    if all(g is None for g in gathers):
        put_into(seen, source)
        return
    shape = source._array.shape
    kept = without_leading_ones(shape)
    if kept != shape and len(kept) != len(shape):
        source = source.view(kept)
    index_put_(seen, gathers, source)
    warn_of_bytes(gathers)


def covers(key: slice, shape: tuple[int, ...]) -> bool:
    """Whether a slice takes the whole first dimension: PyTorch then writes to the tensor itself, without a view."""
    plain = all(type(bound) is int or bound is None for bound in (key.start, key.stop, key.step))
    return plain and bool(shape) and key.indices(shape[0]) == (0, shape[0], 1)


OF_LISTS = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use x[tuple(seq)] "
    "instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], which will result either in an "
    "error or a different result"
)


def as_tuple(key: Any) -> tuple[Any, ...]:
    """Several indices as a tuple, or one alone (a short list with slices or tensors in it counts as several)."""
    if isinstance(key, tuple):
        return key
    if (
        isinstance(key, list)
        and len(key) < 32
        and any(k is None or k is Ellipsis or isinstance(k, slice | Tensor | list | tuple | np.ndarray) for k in key)
    ):
        warnings.warn(OF_LISTS, stacklevel=3)
        return tuple(key)
    return (key,)


def picked(self: Tensor, dim: int, position: int, number: int) -> Tensor:
    """One index along a dimension; ``number``, its place among the indices, is what PyTorch's refusal names.

    Raises:
        IndexError: for a 0-d tensor, or an index beyond the dimension's length.
    """
    if not self._array.ndim and position:
        raise IndexError(f"index {position} is out of bounds for dimension 0 with size 0")
    if not self._array.ndim:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
    length = self._array.shape[dim] if dim < self._array.ndim else 0  # a second ellipsis leads past the last dimension
    if not -length <= position < length:
        raise IndexError(f"index {position} is out of bounds for dimension {number} with size {length}")
    return select.run((self, dim, position))


def ranged(self: Tensor, dim: int, key: slice) -> Tensor:
    """A slice along a dimension.

    Raises:
        ValueError: for a step that is not positive.
        IndexError: for a 0-d tensor.
    """
    step = 1 if key.step is None else int_of(key.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    if not self._array.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    start = 0 if key.start is None else int_of(key.start)
    stop = END if key.stop is None else int_of(key.stop)
    return slice_.run((self, dim, start, stop, step))


def int_of(bound: Any) -> int:
    """A slice's bound as a Python int.

    Raises:
        TypeError: for anything that is no whole number.
    """
    if isinstance(bound, Tensor) and bound._array.dtype.kind in "iu" and bound._array.size == 1:
        return int(bound._array.reshape(()))
    try:
        return int(bound.__index__())
    except (AttributeError, TypeError):
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None


def taken_apart(self: Tensor, keys: tuple[Any, ...]) -> tuple[Tensor, list[Tensor | None]]:
    """Applies what makes views; returns the view and the tensor indices by dimension (None where there is none).

    Raises:
        IndexError: for more indices than dimensions, or an index of a wrong type.
    """
    ndim = self._array.ndim
    wanted = sum(consumed(k) for k in keys)
    if wanted > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    gathers: list[Tensor | None] = []
    dim = 0
    seen = self
    for number, key in enumerate(keys):
        if key is Ellipsis:
            dim += ndim - wanted
            continue
        if key is None:
            seen, dim = unsqueeze(seen, dim), dim + 1
            continue
        if isinstance(key, bool | np.bool_):
            seen = unsqueeze(seen, dim)
            place(gathers, dim, wrap(np.array([0] if key else [], np.int64)))
            dim += 1
            continue
        if isinstance(key, slice):
            if not takes_all(key, seen._array.shape[dim]):
                seen = ranged(seen, dim, key)
            dim += 1
            continue
        if isinstance(key, int | np.integer):
            seen = picked(seen, dim, int(key), number)
            continue
        tensor = as_index(key)
        array = tensor._array
        if not array.ndim and array.dtype.kind in "iu" and array.dtype != np.uint8:
            seen = picked(seen, dim, int(array), number)
        elif not array.ndim:
            seen = unsqueeze(seen, dim)
            place(gathers, dim, wrap(np.array([0] if array else [], np.int64)))
            dim += 1
        else:
            place(gathers, dim, tensor)
            dim += array.ndim if array.dtype.kind == "b" or array.dtype == np.uint8 else 1
    return seen, gathers


def warn_of_bytes(gathers: list[Tensor | None]) -> None:
    """Says for each index of bytes that masks have a type of their own; other whole numbers are positions."""
    for tensor in gathers:
        if tensor is not None and tensor._array.dtype == np.uint8:
            words = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
            warnings.warn(words, stacklevel=3)


def takes_all(key: slice, length: int) -> bool:
    """Whether a slice among several indices leaves its dimension as it is, so that no view is made of it."""
    if key.start not in (None, 0) or key.step not in (None, 1):
        return False
    return key.stop is None or (type(key.stop) is int and key.stop >= length)


def place(gathers: list[Tensor | None], dim: int, tensor: Tensor) -> None:
    """Puts a tensor index at its dimension."""
    gathers += [None] * (dim + 1 - len(gathers))
    gathers[dim] = tensor


def consumed(key: Any) -> int:
    """How many dimensions an index uses up."""
    if key is None or key is Ellipsis or isinstance(key, bool | np.bool_):
        return 0
    if isinstance(key, Tensor) and (key._array.dtype.kind == "b" or key._array.dtype == np.uint8):
        return key._array.ndim
    if isinstance(key, np.ndarray) and key.dtype.kind == "b":
        return key.ndim
    return 1


def as_index(key: Any) -> Tensor:
    """A tensor, array or nested list of integers or booleans as an index tensor.

    Raises:
        IndexError: for a number or tensor of another type.
        TypeError: for what cannot be an index.
    """
    if isinstance(key, Tensor):
        tensor = key
        if modes.batch_level and key._array.dtype.kind == "b":
            refuse_batch("mask", key)
    elif isinstance(key, list | tuple | range):
        tensor = wrap(index_array(key))
    elif isinstance(key, np.ndarray):
        # As a list of such numbers, which become whole ones.
        tensor = wrap(key.copy() if key.dtype.char in INDEXING else key.real.astype(np.int64))
    elif isinstance(key, str):
        raise TypeError(f"new(): invalid data type '{type(key).__name__}'")
    else:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
            f"{type(key).__name__})"
        )
    if tensor._array.dtype.char not in INDEXING:
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return tensor


def index_array(key: Any) -> np.ndarray:
    """A nested list (which may hold tensors) as an array; decimals lose what follows the point.

    Raises:
        ValueError: lists of different lengths.
    """
    plain = [k._array if isinstance(k, Tensor) else index_array(k) if isinstance(k, list | tuple) else k for k in key]
    try:
        array = np.array(plain)
    except ValueError as problem:
        raise ValueError(f"expected sequence of equal length: {problem}") from None
    return array.astype(np.int64) if array.dtype.kind == "f" else array


def as_value(self: Tensor, value: Any) -> Tensor:
    """What is assigned, as a tensor of this tensor's dtype.

    Raises:
        TypeError: for what is neither a tensor nor a number.
        ValueError: for a whole number of more than 64 bits.
    """
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, bool | int | float | complex):
        kind = type(value)
        shown = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        raise TypeError(f"can't assign a {shown} to a {tensor_type(self)}")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return wrap(np.asarray(storable(self, value)).astype(self._array.dtype)[()])


def without_leading_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape from its first length that is not one on."""
    first = next((i for i, n in enumerate(shape) if n != 1), len(shape))
    return shape[first:]


def put_into(target: Tensor, source: Tensor) -> None:
    """Assigns to a view: copied as it is, filled from a number, or repeated first."""
    inside(target)  # a view made for this write, of a tensor that `set_item` found not to be captured
    shape = source._array.shape
    if shape == target._array.shape:
        copy_(target, source)
    elif not shape:
        check_writable(target)  # PyTorch asks this first
        check_no_overlap(target._array)
        fill_(target, source)
    else:
        kept = without_leading_ones(shape)
        narrowed = source.view(kept)
        copy_(target, narrowed if kept == target._array.shape else narrowed.expand(target._array.shape))


Tensor.__getitem__ = get_item


def delete_item(self: Tensor, index: Any) -> None:
    """Refuses ``del x[i]``: a tensor has as many elements as it was made with.

    Raises:
        TypeError: always.
    """
    raise TypeError("Tensor does not support deleting items")


Tensor.__delitem__ = delete_item
Tensor.__setitem__ = set_item
