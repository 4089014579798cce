"""Sets and places: unique, isin, searchsorted, bucketize, bincount. None of them has a slope."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.errors import require_bool
from engine.ops.core.batching import refuse_batch
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import wrapped
from engine.ops.core.misuse import kind_of
from engine.ops.core.unimplemented import unimplemented
from engine.ops.reduction.sorting import sortable
from engine.tensor import Tensor, wrap


def flat_unique(array: Any) -> tuple[Any, Any, Any]:
    """Sorted values (each nan apart), where each element went, and how many went there."""
    flat = np.asarray(array).ravel()
    _, first, inverse, counts = np.unique(
        sortable(flat), return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    return flat[first], inverse.reshape(np.shape(array)).astype(np.int64), counts.astype(np.int64)


def rows_unique(array: Any, dim: int) -> tuple[Any, Any, Any]:
    """The same of whole slices along a dimension, in the order of their elements."""
    axis = wrapped(dim, array.ndim)
    values, inverse, counts = np.unique(array, return_inverse=True, return_counts=True, axis=axis)
    return values, inverse.reshape(-1).astype(np.int64), counts.astype(np.int64)


def runs(array: Any, axis: int | None) -> tuple[Any, Any, Any]:
    """The first of each run of equal neighbours, which run each element is in, and the lengths of the runs."""
    if axis is None:
        flat = np.asarray(array).ravel()
        changes = np.concatenate([[True], flat[1:] != flat[:-1]]) if flat.size else np.zeros(0, np.bool_)
        kept, shape = flat[changes], np.shape(array)
    else:
        moved = np.moveaxis(array, axis, 0).reshape(
            array.shape[axis], math.prod(array.shape) // max(array.shape[axis], 1)
        )
        changes = np.concatenate([[True], (moved[1:] != moved[:-1]).any(1)]) if len(moved) else np.zeros(0, np.bool_)
        kept, shape = np.compress(changes, array, axis), (array.shape[axis],)
    starts = np.flatnonzero(changes)
    inverse = (np.cumsum(changes) - 1).reshape(shape).astype(np.int64)
    return kept, inverse, np.diff(np.append(starts, len(changes))).astype(np.int64)


@operator(
    at="internal", name="_unique2", grad_fn="Unique2Backward0", outputs="tuple", **unimplemented("_unique2", "self", "")
)
def unique_flat(self: Any) -> Any:
    """The different values in order. PyTorch gives it no derivative."""
    return flat_unique(self)


@operator(
    at="internal",
    name="unique_dim",
    grad_fn="UniqueDimBackward0",
    outputs="tuple",
    **unimplemented("unique_dim", "self", ""),
)
def unique_rows(self: Any, dim: int) -> Any:
    """The different slices in order. PyTorch gives it no derivative."""
    return rows_unique(self, dim)


@operator(at="internal", name="unique_consecutive", outputs="tuple", **unimplemented("unique_consecutive", "self", ""))
def unique_runs(self: Any) -> Any:
    """One of each run of equals. PyTorch gives it no derivative."""
    return runs(self, None)


@operator(
    at="internal",
    name="unique_dim_consecutive",
    grad_fn="UniqueConsecutiveBackward0",
    outputs="tuple",
    **unimplemented("unique_consecutive", "self", ""),
)
def unique_row_runs(self: Any, dim: int) -> Any:
    """One of each run of equal slices. PyTorch gives it no derivative."""
    return runs(self, wrapped(dim, self.ndim))


def asked(found: tuple[Tensor, ...], return_inverse: bool, return_counts: bool) -> Any:
    """The values alone, or a tuple with what else was asked for."""
    extra = [part for part, wanted in zip(found[1:], (return_inverse, return_counts), strict=True) if wanted]
    return (found[0], *extra) if extra else found[0]


@composite()
def unique(
    self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The different values (or slices along ``dim``) in order, where each element went, and how many there are.

    Raises:
        TypeError: no tensor, or a setting that is no bool.
        RuntimeError: inside vmap.
    """
    if not isinstance(self, Tensor):
        raise TypeError(f"_unique2(): argument 'input' (position 1) must be Tensor, not {kind_of(self)}")
    kernel = "_unique2" if dim is None else "unique_dim"
    for name, flag in (("sorted", sorted), ("return_inverse", return_inverse), ("return_counts", return_counts)):
        require_bool(flag, kernel, name)
    refuse_batch(kernel, self)
    found = unique_flat(self) if dim is None else unique_rows(self, dim)
    return asked(found, return_inverse, return_counts)


@composite()
def unique_consecutive(
    self: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """One of each run of equal neighbours.

    Raises:
        TypeError: no tensor, or a setting that is no bool.
        RuntimeError: inside vmap.
    """
    if not isinstance(self, Tensor):
        raise TypeError(f"unique_consecutive(): argument 'input' (position 1) must be Tensor, not {kind_of(self)}")
    for name, flag in (("return_inverse", return_inverse), ("return_counts", return_counts)):
        require_bool(flag, "unique_consecutive", name)
    refuse_batch("unique_consecutive" if dim is None else "unique_dim_consecutive", self)
    found = unique_runs(self) if dim is None else unique_row_runs(self, dim)
    return asked(found, return_inverse, return_counts)


@composite(at="torch", name="_unique2")
def unique2(
    self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """The different values, where each element went, and how many there are: nothing in place of what was not asked for."""
    values, inverse, counts = unique_flat(self)
    return values, inverse if return_inverse else none(), counts if return_counts else none()


@composite(at="torch", name="_unique")
def unique_pair(self: Tensor, sorted: bool = True, return_inverse: bool = False) -> tuple[Tensor, Tensor]:
    """`unique2` without counts."""
    return unique2(self, sorted, return_inverse)[:2]


@composite(at="internal", name="_unique_dim")
def unique_dim(
    self: Tensor, dim: int, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Tensor, ...]:
    """The different slices, where each went, and how many there are; all three, whatever was asked for."""
    return tuple(unique_rows(self, dim))


def none() -> Tensor:
    """No indices."""
    return wrap(np.zeros(0, np.int64))


@operator(at="torch", promotes="elements test_elements", needs_tensors="any", formula="x ∈ S")
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Whether each is among the others. A yes or no has no slope."""
    return np.isin(elements, test_elements, invert=invert)


def places(boundaries: Any, values: Any, right: bool, int32: bool) -> Any:
    """Where values go among sorted boundaries, row by row if the boundaries have rows.

    Raises:
        RuntimeError: rows do not match.
    """
    kind = np.int32 if int32 else np.int64
    side: Any = "right" if right else "left"
    if boundaries.ndim <= 1:
        return np.asarray(np.searchsorted(np.atleast_1d(boundaries), values, side=side)).astype(kind)[()]
    if np.shape(values)[:-1] != boundaries.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
            "boundaries tensor and input value tensor must match, "
            f"but we got boundaries tensor {list(boundaries.shape)} and input value tensor {list(np.shape(values))}"
        )
    found = np.empty(values.shape, kind)
    for place in np.ndindex(*values.shape[:-1]):
        found[place] = np.searchsorted(boundaries[place], values[place], side=side)
    return found


@operator(at="torch", formula="where x goes among the sorted")
def searchsorted(
    sorted_sequence: Any,
    self: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: Any = None,
    sorter: Any = None,
) -> Any:
    """Where each value would go in a sorted row. A position has no slope.

    Raises:
        RuntimeError: sides that contradict each other, or a sorter of another shape or dtype.
    """
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    if sorter is not None:
        if sorter.shape != sorted_sequence.shape:
            raise RuntimeError(
                "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
                f"{list(sorted_sequence.shape)}and got sorter tensor {list(sorter.shape)}"  # no blank, as in PyTorch
            )
        if sorter.dtype != np.int64:
            raise RuntimeError(
                f"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {scalar_type(sorter)}"
            )
        sorted_sequence = np.take_along_axis(sorted_sequence, sorter, -1)
    return places(sorted_sequence, self, right or side == "right", out_int32)


@operator(at="torch", formula="the bucket of x", needs_tensors="any boundaries")
def bucketize(self: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """Which of the intervals between the boundaries each value falls in. A position has no slope.

    Raises:
        RuntimeError: boundaries that are no vector.
    """
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return places(boundaries, self, right, out_int32)


@operator(formula="how often 0, 1, 2 … occur", grad_fn="NotImplemented", **unimplemented("bincount", "weights"))
def bincount(self: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each whole number occurs, or the sum of its weights. PyTorch gives it no derivative.

    Raises:
        NotImplementedError: for numbers that are not whole.
        RuntimeError: for anything but a row of numbers that are not negative.
    """
    if self.dtype.kind not in "iu":
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{scalar_type(self)}'")
    if self.ndim != 1 or (self.size and self.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is None:
        return np.bincount(self.astype(np.int64), minlength=minlength).astype(np.int64)
    kind = weights.dtype if weights.dtype.kind == "f" and weights.dtype.itemsize >= 4 else np.dtype(np.float64)
    return np.bincount(self.astype(np.int64), weights.astype(np.float64), minlength).astype(kind)
