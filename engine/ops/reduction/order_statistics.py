"""One value by its rank or by how often it comes: kthvalue, median and mode. Its gradient goes back to where it stood."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.core.declare import operator, overloaded
from engine.ops.core.dimension import wrapped
from engine.ops.core.refused_dtypes import forbid_bool
from engine.ops.pointwise.no_order import forbid_complex
from engine.ops.reduction.cpp_selection import ascending, nth_element, quick_select
from engine.ops.reduction.dims import UNSET
from engine.ops.reduction.extremes import shared_evenly
from engine.ops.reduction.selecting import as_picked
from engine.ops.reduction.sorting import rows, sortable

KEEPING: dict[str, Any] = {
    "self": lambda grads, indices, self_sym_sizes, dim, keepdim: as_picked(
        grads[0], indices, self_sym_sizes, dim, keepdim
    )
}


def one_of_each_row(self: Any, dim: int, keepdim: bool, pick: Callable[[Any], int]) -> tuple[Any, Any]:
    """One element of every row and its index."""
    if not self.ndim:
        wrapped(dim, 0)
        return self.copy(), np.int64(0)
    axis = wrapped(dim, self.ndim)

    def picked(row: Any) -> tuple[Any, Any]:
        index = pick(row)
        return [row[index]], [index]

    if not self.size:
        shape = tuple(1 if d == axis else n for d, n in enumerate(self.shape))
        values, indices = np.empty(shape, self.dtype), np.empty(shape, np.int64)
    else:
        values, indices = rows(picked, self, axis)
    return (values, indices) if keepdim else (np.squeeze(values, axis), np.squeeze(indices, axis))


@operator(
    order="rows",
    formula="the k-th smallest",
    outputs="values indices",
    saves="dim indices keepdim self_sym_sizes",
    **KEEPING,
)
def kthvalue(self: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest and where it stands; the gradient goes back to those places.

    Raises:
        RuntimeError: there are not so many.
        IndexError: there are none.
    """
    forbid_complex(self, "kthvalue_cpu")
    forbid_bool(self, "kthvalue_cpu")
    axis = wrapped(dim, self.ndim)
    length = self.shape[axis] if self.ndim else 1
    if not length:
        raise IndexError(f"kthvalue(): Expected reduction dim {axis} to have non-zero size.")
    if not 0 < k <= length:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")

    def pick(row: Any) -> int:
        order, before = list(range(len(row))), ascending(sortable(row).tolist())
        quick_select(order, k - 1, lambda i, j: before(j, i))
        return order[k - 1]

    return one_of_each_row(self, dim, keepdim, pick)


def nans_of(values: Any) -> Any:
    """Where nan stands; nowhere among whole numbers."""
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, np.bool_)


def median_index(row: Any, ignore_nan: bool) -> int:
    """The lower of the two middle elements, of equals the one that a stable sort puts there; the first nan, if nan counts."""
    values = sortable(row)
    missing = nans_of(values)
    if not ignore_nan and missing.any():
        return int(np.argmax(missing))
    return int(np.argsort(values, kind="stable")[lower_middle(missing)])


def lower_middle(missing: Any) -> int:
    """Where the lower of the two middle elements stands in order; what is ``missing`` stands behind."""
    return max(len(missing) - int(missing.sum()) - 1, 0) // 2


def median_value(array: Any, ignore_nan: bool) -> Any:
    """The median of all elements; nan of nothing."""
    flat = np.asarray(array).ravel()
    if not flat.size:
        return np.asarray(np.nan if array.dtype.kind in "fV" else np.iinfo(array.dtype).min).astype(array.dtype)[()]
    middle, values = flat[median_index(flat, ignore_nan)], sortable(flat)
    if middle != 0 or not has_both_zeros(values):
        return middle
    # They are equal: which of them comes to stand in the middle is up to how PyTorch selects here.
    order, nth = list(range(len(values))), lower_middle(nans_of(values))
    nth_element(order, nth, ascending(values.tolist()))
    return flat[order[nth]]


def has_both_zeros(values: Any) -> bool:
    """Whether there are zeros of either sign."""
    signs = np.signbit(values[values == 0]) if values.dtype.kind == "f" else np.empty(0, np.bool_)
    return bool(signs.any() and not signs.all())


@operator(
    formula="the middle of x",
    at="internal",
    name="median",
    saves="result self",
    self=lambda grad, self, result: shared_evenly(grad, self, result),
)
def median_all(self: Any) -> Any:
    """The middle element, of an even number the lower one; it gets the whole gradient, and equals share it."""
    forbid_complex(self, "median_cpu")
    forbid_bool(self, "median_cpu")
    return median_value(self, False)


@operator(
    formula="the middle of x",
    at="internal",
    name="nanmedian",
    saves="result self",
    self=lambda grad, self, result: shared_evenly(grad, self, result),
)
def nanmedian_all(self: Any) -> Any:
    """The middle of what is a number; it gets the whole gradient, and equals share it."""
    forbid_bool(self, "median_cpu")
    return median_value(self, True)


def not_empty_along(array: Any, dim: int) -> None:
    """Raises IndexError: there is nothing along that dimension to be in the middle of."""
    if array.ndim and not array.shape[wrapped(dim, array.ndim)]:
        raise IndexError(f"median(): Expected reduction dim {dim} to have non-zero size.")


@operator(
    order="rows",
    formula="the middle of x",
    at="internal",
    name="median",
    grad_fn="MedianBackward1",
    outputs="values indices",
    saves="dim indices keepdim self_sym_sizes",
    **KEEPING,
)
def median_dim(self: Any, dim: int, keepdim: bool = False) -> Any:
    """The middle element along a dimension and where it stands; the gradient goes back to those places."""
    forbid_complex(self, "median_cpu")
    forbid_bool(self, "median_cpu")
    not_empty_along(self, dim)
    return one_of_each_row(self, dim, keepdim, lambda row: median_index(row, False))


@operator(
    order="rows",
    formula="the middle of x",
    at="internal",
    name="nanmedian",
    grad_fn="NanmedianBackward1",
    outputs="values indices",
    saves="dim indices keepdim self_sym_sizes",
    **KEEPING,
)
def nanmedian_dim(self: Any, dim: int, keepdim: bool = False) -> Any:
    """The middle of what is a number, along a dimension, and where it stands; the gradient goes back to those places."""
    forbid_bool(self, "median_cpu")
    not_empty_along(self, dim)
    return one_of_each_row(self, dim, keepdim, lambda row: median_index(row, True))


@overloaded()
def median(self: Any, dim: Any = UNSET, keepdim: bool = False) -> Any:
    """The middle element of all, or along ``dim`` with its index; of an even number the lower one."""
    return (median_all, self) if dim is UNSET else (median_dim, self, dim, keepdim)


@overloaded()
def nanmedian(self: Any, dim: Any = UNSET, keepdim: bool = False) -> Any:
    """`median` of what is a number."""
    return (nanmedian_all, self) if dim is UNSET else (nanmedian_dim, self, dim, keepdim)


def mode_index(row: Any) -> int:
    """The last place of the most frequent value (of several, the smallest)."""
    values = sortable(row)
    order = np.argsort(values, kind="stable")
    best, run, found = 0, 0, 0
    for i, index in enumerate(order):
        run += 1
        if i == len(order) - 1 or values[index] != values[order[i + 1]]:
            if run > best:
                best, found = run, int(index)
            run = 0
    return found


@operator(
    order="rows",
    formula="the most frequent x",
    outputs="values indices",
    saves="dim indices keepdim self_sym_sizes",
    **KEEPING,
)
def mode(self: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent value along a dimension and where it stands; the gradient goes back to those places.

    Raises:
        IndexError: nothing along that dimension.
    """
    axis = wrapped(dim, self.ndim)
    if self.ndim and not self.shape[axis]:
        raise IndexError(f"mode(): Expected reduction dim {axis} to have non-zero size.")
    return one_of_each_row(self, dim, keepdim, mode_index)
