"""Largest and smallest: of all elements, along dimensions, and where they stand.

All of them and `amax` share the gradient among equals; along one dimension with indices, the first one gets it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.core.declare import operator, overloaded
from engine.ops.core.dimension import wrapped
from engine.ops.layout.copies import blank
from engine.ops.pointwise.larger_smaller import maximum, minimum
from engine.ops.pointwise.no_order import forbid_complex
from engine.ops.reduction.dims import UNSET, dims_or_none, wrap_dims
from engine.ops.reduction.selecting import as_picked
from engine.tensor import Tensor


def shared_evenly(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """The gradient split among all elements that equal the result (nan equals nan here)."""
    chosen = self.isnan() if self._array.dtype.kind in "fV" and bool(result.isnan()) else self == result
    return blank(self).masked_fill(chosen, grad / chosen.sum())


def not_empty(array: Any, name: str, dim: Any = None) -> None:
    """The largest of nothing does not exist.

    Raises:
        RuntimeError: nothing to choose from, over all dimensions (IndexError for positions, as in PyTorch).
        IndexError: the same along one dimension.
    """
    if dim is None:
        if not array.size:
            needed = f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
            if name.startswith("arg"):
                raise IndexError(needed)
            raise RuntimeError(f"{needed} Specify the reduction dim with the 'dim' argument.")
        return
    for d in wrap_dims(dim, array.ndim):
        if not array.shape[d]:
            called = name if name == "aminmax" else f"{name}()"
            raise IndexError(f"{called}: Expected reduction dim {d} to have non-zero size.")


def along(picker: Callable[..., Any], array: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """Values and int64 indices along one dimension, as ``picker`` finds them; nan wins over numbers."""
    if not array.ndim:
        return array.copy(), np.int64(0)
    axis = wrapped(dim, array.ndim)
    indices = np.expand_dims(picker(array, axis=axis), axis).astype(np.int64)
    values = np.take_along_axis(array, indices, axis)
    return (values, indices) if keepdim else (np.squeeze(values, axis), np.squeeze(indices, axis))


@operator(
    order="rows",
    formula="max x",
    at="internal",
    name="max",
    grad_fn="MaxBackward1",
    saves="result self",
    self=lambda grad, self, result: shared_evenly(grad, self, result),
)
def max_all(self: Any) -> Any:
    """The largest element; it gets the whole gradient, and equals share it."""
    not_empty(self, "max")
    forbid_complex(self, "max_all")
    return np.max(self)


@operator(
    order="rows",
    formula="min x",
    at="internal",
    name="min",
    grad_fn="MinBackward1",
    saves="result self",
    self=lambda grad, self, result: shared_evenly(grad, self, result),
)
def min_all(self: Any) -> Any:
    """The smallest element; it gets the whole gradient, and equals share it."""
    not_empty(self, "min")
    forbid_complex(self, "min_all")
    return np.min(self)


@operator(
    order="rows",
    formula="max x",
    at="internal",
    name="max",
    outputs="values indices",
    saves="dim indices keepdim self_sym_sizes",
    self=lambda grads, indices, self_sym_sizes, dim, keepdim: as_picked(
        grads[0], indices, self_sym_sizes, dim, keepdim
    ),
)
def max_dim(self: Any, dim: int, keepdim: bool = False) -> Any:
    """The largest along a dimension and where it stands; the gradient goes to that one, of equals to the first."""
    not_empty(self, "max", dim)
    forbid_complex(self, "max_cpu")
    return along(np.argmax, self, dim, keepdim)


@operator(
    order="rows",
    formula="min x",
    at="internal",
    name="min",
    outputs="values indices",
    saves="dim indices keepdim self_sym_sizes",
    self=lambda grads, indices, self_sym_sizes, dim, keepdim: as_picked(
        grads[0], indices, self_sym_sizes, dim, keepdim
    ),
)
def min_dim(self: Any, dim: int, keepdim: bool = False) -> Any:
    """The smallest along a dimension and where it stands; the gradient goes to that one, of equals to the first."""
    not_empty(self, "min", dim)
    forbid_complex(self, "min_cpu")
    return along(np.argmin, self, dim, keepdim)


def refuse_keepdim(name: str, keepdim: Any) -> None:
    """Of two tensors the larger of each pair is taken, along no dimension.

    Raises:
        TypeError: there is a third argument.
    """
    if keepdim is not False:
        raise TypeError(f"{name}() received an invalid combination of arguments: of two tensors, nothing is kept")


@overloaded(renamed={"other": "dim"})
def max(self: Any, dim: Any = UNSET, keepdim: bool = False) -> Any:
    """The largest of all, or along ``dim`` with indices, or (given a tensor) of each pair."""
    if isinstance(dim, Tensor):
        refuse_keepdim("max", keepdim)
        return maximum, self, dim
    return (max_all, self) if dim is UNSET else (max_dim, self, dim, keepdim)


@overloaded(renamed={"other": "dim"})
def min(self: Any, dim: Any = UNSET, keepdim: bool = False) -> Any:
    """The smallest of all, or along ``dim`` with indices, or (given a tensor) of each pair."""
    if isinstance(dim, Tensor):
        refuse_keepdim("min", keepdim)
        return minimum, self, dim
    return (min_all, self) if dim is UNSET else (min_dim, self, dim, keepdim)


def share_among_equals(grad: Tensor, self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """The gradient divided by the number of equals, to each of them."""
    dims = wrap_dims(dim, self.ndim)
    if not keepdim:
        shape = (
            [1 if place in dims else length for place, length in enumerate(self.shape)] if self.ndim else [1] * len(dim)
        )
        grad, result = grad.view(shape), result.view(shape)
    chosen = result == self
    return (grad / chosen.sum(dims, True)) * chosen


@operator(
    order="rows",
    formula="max x",
    at="internal",
    name="amax",
    saves="dim keepdim result self",
    self=lambda grad, self, result, dim, keepdim: share_among_equals(grad, self, result, dim, keepdim),
)
def amax_operator(self: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """The largest along dimensions; it gets the whole gradient, and equals share it."""
    not_empty(self, "amax", dim or None)
    forbid_complex(self, "max_values_cpu")
    return np.max(self, axis=wrap_dims(dim, self.ndim), keepdims=keepdim)


@operator(
    order="rows",
    formula="min x",
    at="internal",
    name="amin",
    saves="dim keepdim result self",
    self=lambda grad, self, result, dim, keepdim: share_among_equals(grad, self, result, dim, keepdim),
)
def amin_operator(self: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """The smallest along dimensions; it gets the whole gradient, and equals share it."""
    not_empty(self, "amin", dim or None)
    forbid_complex(self, "min_values_cpu")
    return np.min(self, axis=wrap_dims(dim, self.ndim), keepdims=keepdim)


@overloaded()
def amax(self: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """The largest along ``dim`` (all of them if none is named)."""
    return amax_operator, self, dims_or_none(dim) or (), keepdim


@overloaded()
def amin(self: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """The smallest along ``dim`` (all of them if none is named)."""
    return amin_operator, self, dims_or_none(dim) or (), keepdim


def aminmax_backward(grads: Any, self: Tensor, dim: Any, keepdim: bool, low: Tensor, high: Tensor) -> Tensor:
    """Both ends' gradients, each shared among equals."""
    dims = () if dim is None else (dim,)
    parts = [
        share_among_equals(grad, self, result, dims, keepdim)
        for grad, result in zip(grads, (low, high), strict=True)
        if grad is not None
    ]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


@operator(
    order="rows",
    formula="(min x, max x)",
    outputs="min max",
    saves="dim keepdim max min self",
    undefined_gradients=True,
    self=lambda grads, self, dim, keepdim, min, max: aminmax_backward(grads, self, dim, keepdim, min, max),
)
def aminmax(self: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest and the largest at once; each gets its own gradient, and equals share it.

    Raises:
        RuntimeError: nothing to compare.
    """
    if not self.size and dim is None:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    not_empty(self, "aminmax", dim)
    axes = None if dim is None or not self.ndim else wrapped(dim, self.ndim)
    if dim is not None and not self.ndim:
        wrapped(dim, 0)
    return np.min(self, axis=axes, keepdims=keepdim), np.max(self, axis=axes, keepdims=keepdim)


def place(picker: Callable[..., Any], name: str, array: Any, dim: Any, keepdim: bool) -> Any:
    """The index along a dimension, or in the flattened tensor.

    Raises:
        RuntimeError: booleans.
    """
    not_empty(array, name, dim)
    forbid_complex(array, name)
    if array.dtype.kind == "b":
        raise RuntimeError(f"{name}(): does not support bool input")
    if dim is None:
        found = np.int64(picker(np.asarray(array).ravel()))
        return np.full((1,) * array.ndim, found) if keepdim and array.ndim else found
    return along(picker, array, dim, keepdim)[1]


@operator(order="rows", formula="the index of max x")
def argmax(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Where the largest stands, of equals the first. A position has no slope."""
    return place(np.argmax, "argmax", self, dim, keepdim)


@operator(order="rows", formula="the index of min x")
def argmin(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Where the smallest stands, of equals the first. A position has no slope."""
    return place(np.argmin, "argmin", self, dim, keepdim)
