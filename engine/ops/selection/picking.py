"""Whole slices by an index vector: `index_select` reads them; `index_add`, `index_copy` and kin write them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import operator, overloaded
from engine.ops.core.dimension import wrapped
from engine.ops.core.geometry import contiguous_strides, owner_of
from engine.ops.layout.copies import blank
from engine.ops.layout.slicing import key_along
from engine.ops.selection.reductions_into import reduce_at, spread_reduction
from engine.ops.tensors.moves import storable
from engine.tensor import Tensor


def key_at(dim: int, index: Any) -> tuple[Any, ...]:
    """A numpy index for the slices ``index`` along ``dim``."""
    return key_along(dim, np.atleast_1d(index))


def in_bounds(index: Any, length: int, message: str) -> None:
    """Raises IndexError: for a negative or too large index, with ``{index}``, ``{length}`` filled in."""
    flat = np.ravel(index)
    wrong = (flat < 0) | (flat >= length)
    if wrong.any():
        raise IndexError(message.format(index=flat[wrong][0], length=length))


def outside_columns(index: Any, length: int) -> None:
    """Raises RuntimeError: a column that is not there."""
    wrong = (index < 0) | (index >= length)
    if np.any(wrong):
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={index[wrong][0]} axis_dim={length}")


@operator(
    order="rows",
    formula="x[:, i]",
    self=lambda grad, self_sym_sizes, dim, index: blank(grad, self_sym_sizes).index_add(dim, index, grad),
)
def index_select(self: Any, dim: int, index: Any) -> Any:
    """Picks slices by number; one picked several times adds up all their gradients.

    Raises:
        IndexError, RuntimeError: an index that is no vector of whole numbers, or nothing to choose from.
    """
    place = wrapped(dim, np.ndim(self))
    if np.ndim(index) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.kind != "i":
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    array = np.atleast_1d(self)
    if array.ndim > 1 and not array.shape[place] and np.size(index):
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if place == 1:  # PyTorch reads columns with another kernel, which has another error
        outside_columns(index, array.shape[1])
    in_bounds(index, array.shape[place], "index out of range in self")
    picked = np.take(array, np.atleast_1d(index), place)
    return picked if np.ndim(self) else picked[0]


def source_gradient(grad: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The gradient of what was written: read at the same slices."""
    if not source._array.ndim:
        return index_select(grad, dim, index.squeeze(0))
    read: Tensor = index_select(grad, dim, index)
    return read.expand_as(source)


def check_source(function: str, self: Any, dim: int, index: Any, source: Any) -> None:
    """Raises IndexError, RuntimeError: when index and source do not fit each other or the tensor."""
    if np.ndim(index) > 1:
        raise IndexError(
            f"{function}(): Index is supposed to be a vector, but got dim: {np.ndim(index)} with type: "
            f"{scalar_type(index)} and size: {list(np.shape(index))}"
        )
    if index.dtype.kind != "i":
        raise RuntimeError(f"{function}(): Expected dtype int32/int64 for index but got: {scalar_type(index)}")
    if source.dtype != self.dtype:
        if function == "index_copy_":
            raise RuntimeError(
                f"{function}(): self and source expected to have the same dtype, but got (self) {scalar_type(self)} and "
                f"(source) {scalar_type(source)}"
            )
        raise RuntimeError(
            f"{function}(): self ({scalar_type(self)}) and source ({scalar_type(source)}) must have the same scalar type"
        )
    length = np.shape(source)[dim] if np.ndim(source) else 1
    if np.size(index) != length and function == "index_copy_":
        raise IndexError(
            f"index_copy_(): Number of indices ({np.size(index)}) should be equal to source.size(dim) ({length})"
        )
    if np.size(index) != length:
        raise RuntimeError(
            f"{function}(): Number of indices ({np.size(index)}) should be equal to source.size(dim): ({length}), for "
            f"dim: {dim}"
        )


@operator(
    order="rows",
    inplace=True,
    formula="x, x[i] + α·s",
    self=lambda grad: grad,
    source=lambda grad, dim, index, alpha, source, source_dim: scaled(source_gradient(grad, dim, index, source), alpha),
)
def index_add(self: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """Adds a source's slices (times ``alpha``) to the slices that an index names; each gets the gradient of its place.

    Raises:
        RuntimeError: a source of another shape.
    """
    place = wrapped(dim, np.ndim(self))
    check_source("index_add_", self, place, index, source)
    rest = [np.shape(a)[:place] + np.shape(a)[place + 1 :] for a in (self, source)]
    if np.ndim(self) and np.ndim(source) and rest[0] != rest[1]:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(np.shape(self))} source.shape = {list(np.shape(source))}"
        )
    result = np.array(np.atleast_1d(self))
    try:
        in_bounds(index, result.shape[place], "index {index} is out of bounds for dimension 0 with size {length}")
    except IndexError as problem:
        raise RuntimeError(str(problem)) from None
    added = np.atleast_1d(source) if alpha == 1 else (np.atleast_1d(source) * alpha).astype(result.dtype)
    np.add.at(result, key_at(place, index), added)
    return result.reshape(np.shape(self))


def scaled(grad: Tensor, alpha: Any) -> Tensor:
    """``grad · alpha`` without an operation when alpha is 1."""
    return grad if alpha == 1 else grad * alpha


@operator(
    order="rows",
    inplace=True,
    formula="x, x[i] ← s",
    self=lambda grad, dim, index: index_fill(grad, dim, index, 0),
    source=lambda grad, dim, index, source, source_dim: source_gradient(grad, dim, index, source),
)
def index_copy(self: Any, dim: int, index: Any, source: Any) -> Any:
    """Writes slices of a source over the slices that an index names; what was overwritten gets zero.

    Raises:
        RuntimeError: a source of another shape.
    """
    place = wrapped(dim, np.ndim(self))
    rest = [list(np.shape(a)[:place] + np.shape(a)[place + 1 :]) for a in (self, source)]
    if rest[0] != rest[1] and np.ndim(self) and np.ndim(source):
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, rest[0]))} at dimension {place} and source slice shape: "
            f"{' '.join(map(str, rest[1]))} at dimension {place}."
        )
    check_source("index_copy_", self, place, index, source)
    result = np.array(np.atleast_1d(self))
    if not result.size:
        return result.reshape(np.shape(self))
    in_bounds(
        index,
        result.shape[place],
        "index_copy_(): index {index} is out of bounds for dimension " + f"{place}" + " with size {length}",
    )
    result[key_at(place, index)] = np.atleast_1d(source)
    return result.reshape(np.shape(self))


def filled(self: Any, dim: int, index: Any, value: Any) -> Any:
    """A copy with one value in the slices that an index names.

    Raises:
        IndexError: an index that is no vector of whole numbers, or outside.
    """
    place = wrapped(dim, np.ndim(self))
    if index.dtype.kind != "i":
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if np.ndim(index) > 1:
        raise IndexError("Index has to be a vector/scalar")
    result = np.array(np.atleast_1d(self))
    length = result.shape[place]
    flat = np.ravel(index)
    if not result.size:
        check_empty(np.atleast_1d(self), place, flat)
        return result.reshape(np.shape(self))
    wrong = (flat < -length) | (flat >= length)
    if wrong.any():
        raise IndexError(f"index {flat[wrong][0]} is out of bounds for dimension {place} with size {length}")
    result[key_at(place, index)] = value
    return result.reshape(np.shape(self))


def check_empty(array: Any, place: int, index: Any) -> None:
    """What PyTorch finds wrong with filling a tensor without elements: not the index, but memory that a slice would need.

    Raises:
        RuntimeError: a slice would have elements, and the storage has none.
    """
    sizes = [1 if d == place else n for d, n in enumerate(array.shape)]
    strides = [0 if d == place else step for d, step in enumerate(contiguous_strides(array.shape))]
    needed = (1 + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))) * array.itemsize
    if index.size and all(sizes) and not owner_of(array).size:
        raise RuntimeError(
            f"setStorage: sizes {sizes}, strides {strides}, storage offset 0, and itemsize {array.itemsize} requiring a storage "
            f"size of {needed} are out of bounds for storage of size 0"
        )


@operator(
    order="first",
    at="internal",
    name="index_fill",
    formula="x, x[i] ← c",
    self=lambda grad, dim, index: index_fill(grad, dim, index, 0),
)
def index_fill_number(self: Any, dim: int, index: Any, value: Any) -> Any:
    """Writes a number over the slices that an index names; what was overwritten gets zero."""
    return filled(self, dim, index, value)


@operator(
    order="first",
    at="internal",
    name="index_fill",
    grad_fn="IndexFillBackward1",
    formula="x, x[i] ← v",
    self=lambda grad, dim, index: index_fill(grad, dim, index, 0),
    value=lambda grad, dim, index: index_select(grad, dim, distinct(index)).sum(),
)
def index_fill_tensor(self: Any, dim: int, index: Any, value: Any) -> Any:
    """Writes a 0-d tensor's value over the slices that an index names; it gets the sum of their gradients."""
    return filled(self, dim, index, value)


def distinct(index: Tensor) -> Tensor:
    """Each index once."""
    return Tensor._output_again(np.unique(index._array), None, None, 0)


@overloaded(inplace=True)
def index_fill(self: Tensor, dim: int, index: Tensor, value: Any) -> tuple[Any, ...]:
    """One value in the slices that an index names.

    Raises:
        RuntimeError: for a value with dimensions.
    """
    if not isinstance(value, Tensor):
        return index_fill_number, self, dim, index, storable(self, value)
    if value._array.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._array.ndim} "
            "dimension(s)."
        )
    return index_fill_tensor, self, dim, index, value


@operator(
    order="rows",
    inplace=True,
    formula="x, x[i] ∘ s",
    saves="dim include_self index reduce result self source",
    differentiable="self source",
    joint=lambda grad, self, dim, index, source, reduce, include_self, result: spread_reduction(
        grad, self, source, result, reduce, include_self, Slices(dim, index)
    ),
)
def index_reduce(self: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
    """Multiplies, averages or compares slices of a source into the slices that an index names.

    Raises:
        RuntimeError: an unknown reduction.
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    place = wrapped(dim, np.ndim(self))
    check_source("index_reduce", self, place, index, source)
    array = np.atleast_1d(self)
    in_bounds(index, array.shape[place], "index {index} is out of bounds for dimension 0 with size {length}")
    return reduce_at(array, key_at(place, index), np.atleast_1d(source), reduce, include_self).reshape(np.shape(self))


class Slices:
    """How `index_reduce`'s gradient reads and writes: by whole slices."""

    words = ("index_reduce", "source")

    def __init__(self, dim: int, index: Tensor) -> None:
        self.dim, self.index = dim, index

    def read(self, tensor: Tensor) -> Tensor:
        """The elements that each source element went to."""
        return index_select(tensor, self.dim, self.index)

    def add(self, tensor: Tensor, source: Tensor) -> Tensor:
        """``source`` added into a copy of ``tensor``."""
        return index_add(tensor, self.dim, self.index, source)

    def fill(self, tensor: Tensor, value: Any) -> Tensor:
        """A copy with one value at the places written to."""
        return index_fill(tensor, self.dim, self.index, value)

    def reduce(self, tensor: Tensor, source: Tensor, how: str, include_self: bool) -> Tensor:
        """The reduction itself."""
        return index_reduce(tensor, self.dim, self.index, source, how, include_self=include_self)
