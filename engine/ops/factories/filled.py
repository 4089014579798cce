"""Tensors full of one value: ``zeros``, ``ones``, ``full``, ``empty``, their ``_like`` and ``new_`` forms.

``empty`` holds zeros: PyTorch promises nothing about it, and equal runs must give equal traces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.dtype_names import C_TYPE
from engine.late import Late
from engine.ops.core.batching import with_mark
from engine.ops.core.declare import composite
from engine.ops.core.functions import require_row
from engine.ops.factories.factory import (
    checked_size,
    dispatched,
    factory,
    in_format,
    leaf,
    like,
    require_place,
    require_tensor,
    resolved_dtype,
)
from engine.placement import META
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.ops.meta import creation as meta
    from engine.ops.sparse import writing as sparse_writing
else:
    meta = Late("engine.ops.meta.creation")
    sparse_writing = Late("engine.ops.sparse.writing")


def floating(dtype: dtypes.dtype | None) -> np.dtype[Any]:
    """The array dtype asked for, or the default floating one."""
    return (dtypes.defaults.floating if dtype is None else dtype).array


@factory
def zeros(*size: int, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """All 0."""
    return np.zeros(size, floating(dtype))


@factory
def ones(*size: int, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """All 1."""
    return np.ones(size, floating(dtype))


@factory
def empty(*size: int, dtype: dtypes.dtype | None = None, memory_format: Any = None) -> np.ndarray:
    """Room for values to come."""
    return in_format(np.zeros(size, floating(dtype)), memory_format)


@factory
def full(size: Any, fill_value: Any, *, dtype: dtypes.dtype | None = None, names: Any = None) -> np.ndarray:
    """All ``fill_value``; its kind decides the dtype if none is given.

    Raises:
        TypeError: a size that is no tuple.
    """
    if not isinstance(size, list | tuple):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    room = np.empty(checked_size("full", (tuple(size),)), array_dtype_for(fill_value, dtype))
    return filled(room, fill_value, "full")


def array_dtype_for(value: Any, dtype: dtypes.dtype | None) -> np.dtype[Any]:
    """The dtype asked for, or the value's own."""
    if dtype is not None:
        return dtype.array
    return value.dtype.array if isinstance(value, Tensor) else dtypes.of_scalar(value).array


def filled(array: np.ndarray, value: Any, function: str) -> np.ndarray:
    """Writes ``value`` everywhere.

    Raises:
        TypeError: ``value`` is no number; a tensor that requires grad is none, for the result would not remember it.
        RuntimeError: it does not fit the array's dtype.
    """
    if isinstance(value, Tensor) and value.dim() == 0 and not value.requires_grad:
        value = value._array.item()
    elif isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, bool | int | float | complex):
        raise TypeError(f"{function}(): argument 'fill_value' (position 2) must be Number, not {type(value).__name__}")
    dtype = dtypes.BY_ARRAY[array.dtype]
    if dtype.category == dtypes.INTEGER and not isinstance(value, complex):
        limits = np.iinfo(dtype.array)
        if not -limits.max - 1 <= value <= limits.max:
            raise RuntimeError(f"value cannot be converted to type {dtype.name}_t without overflow")
        array[...] = np.array(int(value)).astype(dtype.array)
        return array
    with np.errstate(over="ignore"):
        array[...] = np.array(value).astype(dtype.array)
    if dtype.is_floating_point and np.isfinite(value) and array.size and not np.isfinite(array.reshape(-1)[0]):
        raise RuntimeError(f"value cannot be converted to type {C_TYPE[dtype.name]} without overflow")
    return array


@composite(at="torch")
def scalar_tensor(s: Any, *, dtype: Any = None, **rest: Any) -> Tensor:
    """A 0-d tensor of the default floating type, whatever the number's own."""
    return full((), s, dtype=dtypes.defaults.floating if dtype is None else dtype, **rest)


# ── like another tensor ─────────────────────────────────────────────────────────────────────────────────────────────


def like_factory(kernel: Callable[..., np.ndarray]) -> Callable[..., Tensor]:
    """Declares ``torch.<kernel>(input, …)``: the kernel gets a fresh array laid out as ``input`` and fills it."""
    name = kernel.__name__

    def make(
        input: Tensor,
        *args: Any,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
        memory_format: Any = None,
        **rest: Any,
    ) -> Tensor:
        require_tensor(name, input)
        if modes.dispatching:
            require_place(layout, device, pin_memory)
            return dispatched(name, make, (input, *args), rest, resolved_dtype(name, dtype), requires_grad)
        chosen = resolved_dtype(name, dtype) or input.dtype
        if not input._strided and layout is None:
            require_place(None, device, pin_memory)
            return leaf(sparse_writing.filled_like(input, name, chosen.array), name, requires_grad)
        where = require_place(layout, device or input.device, pin_memory)
        if where is META:
            array: Any = meta.made_like(kernel, input._array, chosen.array, args, rest)
        else:
            array = kernel(like(np.asarray(input._array), chosen.array, memory_format), *args, **rest)
        return with_mark(leaf(array, name, requires_grad), input)

    make.__name__, make.__doc__ = name, kernel.__doc__
    return composite(at="torch")(make)


@like_factory
def zeros_like(array: np.ndarray) -> np.ndarray:
    """All 0, shaped like ``input``."""
    return array


@like_factory
def empty_like(array: np.ndarray) -> np.ndarray:
    """Room for values to come, shaped like ``input``."""
    return array


@like_factory
def ones_like(array: np.ndarray) -> np.ndarray:
    """All 1, shaped like ``input``."""
    array[...] = 1
    return array


@like_factory
def full_like(array: np.ndarray, fill_value: Any) -> np.ndarray:
    """All ``fill_value``, shaped and typed like ``input``."""
    return filled(array, fill_value, "full_like")


# ── of another tensor's type ────────────────────────────────────────────────────────────────────────────────────────


def new_factory(make: Callable[..., Tensor]) -> None:
    """Declares ``Tensor.new_<make>``: the same function, with this tensor's dtype where none is given."""

    def made(self: Tensor, *args: Any, dtype: Any = None, device: Any = None, **rest: Any) -> Tensor:
        where = device or self.device
        if "size" in rest:
            require_row(f"new_{make.__name__}", rest["size"], bool(args))
            args = (rest.pop("size"),)
        return with_mark(make(*args, dtype=self.dtype if dtype is None else dtype, device=where, **rest), self)

    made.__name__ = f"new_{make.__name__}"
    made.__doc__ = f"``torch.{make.__name__}`` with this tensor's dtype."
    composite(at="tensor")(made)


for _make in (zeros, ones, empty, full):
    new_factory(_make)


# ── with strides of one's own ───────────────────────────────────────────────────────────────────────────────────────


@factory
def empty_strided(size: Any, stride: Any, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Room for values, laid out with the given steps (in elements).

    Raises:
        RuntimeError: other numbers of sizes and strides.
    """
    sizes, steps = tuple(map(int, size)), tuple(map(int, stride))
    if len(sizes) != len(steps):
        raise RuntimeError(
            f"dimensionality of sizes ({len(sizes)}) must match dimensionality of strides ({len(steps)})"
        )
    kind = floating(dtype)
    reach = 0 if 0 in sizes else 1 + sum((n - 1) * s for n, s in zip(sizes, steps, strict=True))
    return np.lib.stride_tricks.as_strided(np.zeros(reach, kind), sizes, tuple(s * kind.itemsize for s in steps))


@factory
def empty_permuted(size: Any, physical_layout: Any, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Room for values whose dimensions lie in memory in the given order.

    Raises:
        RuntimeError: an order that does not name every dimension once.
    """
    sizes, order = tuple(map(int, size)), tuple(map(int, physical_layout))
    if len(sizes) != len(order):
        raise RuntimeError(
            f"Number of dimensions in size does not match the length of the physical_layout; "
            f"i.e. len(size) = {len(sizes)} is not equal to len(physical_layout) = {len(order)}"
        )
    seen: set[int] = set()
    for dim in order:
        if not 0 <= dim < len(sizes):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(sizes) - 1}, but got {dim} at index "
                f"{order.index(dim)}).  NB: negative dims not currently supported; file an issue if you want it."
            )
        if dim in seen:
            raise RuntimeError("Duplicate dim not allowed")
        seen.add(dim)
    return np.zeros([sizes[dim] for dim in order], floating(dtype)).transpose(np.argsort(order))


def new_empty_strided(
    self: Tensor, size: Any, stride: Any, *, dtype: Any = None, device: Any = None, **rest: Any
) -> Tensor:
    """``torch.empty_strided`` with this tensor's dtype."""
    chosen, where = self.dtype if dtype is None else dtype, device or self.device
    return with_mark(empty_strided(size, stride, dtype=chosen, device=where, **rest), self)


composite(at="tensor")(new_empty_strided)
