"""Order: sort and topk. The gradient follows each value back to where it stood."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator, overloaded
from engine.ops.core.dimension import wrapped
from engine.ops.pointwise.no_order import forbid_complex
from engine.ops.reduction.cpp_selection import top
from engine.ops.reduction.selecting import as_picked
from engine.tensor import Tensor

SELECTING: dict[str, Any] = {
    "self": lambda grads, indices, self_sym_sizes, dim: as_picked(grads[0], indices, self_sym_sizes, dim, True)
}


def sortable(array: Any) -> Any:
    """What numpy can sort: half types as float32."""
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def sorted_indices(array: Any, axis: int, descending: bool) -> Any:
    """Stable; nan counts as the largest."""
    values = sortable(array)
    if not descending:
        return np.argsort(values, axis=axis, kind="stable")
    flipped = np.argsort(np.flip(values, axis), axis=axis, kind="stable")
    return array.shape[axis] - 1 - np.flip(flipped, axis)


def sorted_with_indices(array: Any, dim: int, descending: bool) -> tuple[Any, Any]:
    """Values and indices along a dimension."""
    forbid_complex(array, "sort")
    if not array.ndim:
        wrapped(dim, 0)
        return array.copy(), np.int64(0)
    axis = wrapped(dim, array.ndim)
    indices = sorted_indices(array, axis, descending)
    return np.take_along_axis(array, indices, axis), indices


@operator(
    order="first",
    formula="x in order",
    at="internal",
    name="sort",
    outputs="values indices",
    saves="dim indices self_sym_sizes",
    **SELECTING,
)
def sort_plain(self: Any, dim: int = -1, descending: bool = False) -> Any:
    """Puts values in order and tells where each stood; the gradient goes back to those places."""
    return sorted_with_indices(self, dim, descending)


@operator(
    order="first",
    formula="x in order",
    at="internal",
    name="sort",
    grad_fn="SortBackward1",
    outputs="values indices",
    saves="dim indices self_sym_sizes",
    **SELECTING,
)
def sort_stable(self: Any, dim: int = -1, descending: bool = False) -> Any:
    """Puts values in order, equals in the order they came; the gradient goes back to those places."""
    return sorted_with_indices(self, dim, descending)


@overloaded()
def sort(self: Any, dim: int = -1, descending: bool = False, stable: Any = None) -> Any:
    """Values in order along ``dim``, and where each stood."""
    return (sort_plain if stable is None else sort_stable), self, dim, descending


@operator(order="first", formula="indices of x in order")
def argsort(self: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Where each value of the ordered tensor stood. Positions have no slope."""
    return sorted_with_indices(self, dim, descending)[1]


@composite()
def msort(self: Tensor) -> Tensor:
    """Values in order along the first dimension."""
    return sort_plain(self, 0, False)[0]


def rows(pick: Callable[[Any], tuple[Any, Any]], array: Any, axis: int) -> tuple[Any, Any]:
    """``pick`` (row → values, indices) applied to every row along an axis."""
    moved = np.moveaxis(array, axis, -1)
    lead = moved.shape[:-1]
    found = [pick(row) for row in moved.reshape(-1, moved.shape[-1])] if moved.size else []
    width = len(found[0][0]) if found else 0
    values = np.array([f[0] for f in found], array.dtype).reshape(*lead, width)
    indices = np.array([f[1] for f in found], np.int64).reshape(*lead, width)
    return np.moveaxis(values, -1, axis), np.moveaxis(indices, -1, axis)


@operator(
    order="rows", formula="the k largest", outputs="values indices", saves="dim indices self_sym_sizes", **SELECTING
)
def topk(self: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest (or smallest) and where they stand; the gradient goes back to those places.

    Raises:
        RuntimeError: there are not so many.
    """
    forbid_complex(self, "topk")
    if self.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    axis = wrapped(dim, self.ndim)
    if not 0 <= k <= (self.shape[axis] if self.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if not self.ndim:
        return self.copy(), np.int64(0)
    order = sorted_indices(self, axis, largest)
    best = np.take_along_axis(self, np.take(order, range(min(k + 1, self.shape[axis])), axis), axis)
    if k and has_equal_neighbours(best, axis):
        return rows(lambda row: top_of_row(row, k, largest), self, axis)
    indices = np.take(order, range(k), axis)
    return np.take_along_axis(self, indices, axis), indices


def has_equal_neighbours(array: Any, axis: int) -> bool:
    """Whether two that follow each other along an axis are equal: which of them is taken is then PyTorch's business."""
    count = array.shape[axis]
    return bool(np.any(np.equal(np.take(array, range(1, count), axis), np.take(array, range(count - 1), axis))))


def top_of_row(row: Any, k: int, largest: bool) -> tuple[Any, Any]:
    """The k largest (or smallest) of one row and their places, of equals those that PyTorch's selection takes."""
    numbers = sortable(row).tolist()
    few = k * 64 <= len(numbers)  # then PyTorch sorts part of the row in place of selecting
    chosen = sorted_indices(row, 0, largest)[:k].tolist() if few else top(numbers, k, largest)
    return row[chosen], chosen
