"""Tensors from data: ``torch.tensor``, ``as_tensor``, ``from_numpy``, ``frombuffer``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.observe import state as observing
from engine.ops.core.declare import composite
from engine.ops.core.discarding import warn_of_discarding
from engine.ops.factories.factory import dispatch, leaf, require_place, resolved_dtype
from engine.ops.factories.filled import ones_like
from engine.ops.factories.literals import array_from, checked_array_dtype, flattened, is_sequence
from engine.placement import CPU, META, default, device, placed, preserve_format
from engine.tensor import Tensor, wrap
from engine.warned import warn_once

COPY_HINT = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)


@composite(at="torch", parsed=False)
def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """A new leaf with a copy of ``data``: a number, nested lists, an array or a tensor (whose graph is left behind)."""
    where = CPU
    if device is not None or pin_memory or default.where is not CPU:
        where = require_place(None, device, pin_memory, moved=True)
    if where is META:
        return copied(data, resolved_dtype("tensor", dtype), "tensor", "torch.tensor", requires_grad, where)
    if modes.dispatching:
        return lifted(copied(data, resolved_dtype("tensor", dtype), "tensor", "torch.tensor", requires_grad))
    if type(data) is float and dtype is None:
        return leaf(dtypes.defaults.floating.array.type(data), "tensor", requires_grad)
    return copied(data, resolved_dtype("tensor", dtype), "tensor", "torch.tensor", requires_grad)


def lifted(made: Tensor) -> Tensor:
    """A new leaf as the dispatch modes that are on let it through."""
    answer: Tensor = dispatch.asked("lift_fresh", lambda tensor: tensor, (made,), {})
    return answer


def copied(
    data: Any, dtype: dtypes.dtype | None, how: str, spelled: str, requires_grad: bool, where: device = CPU
) -> Tensor:
    """A leaf that shares nothing with ``data``."""
    if isinstance(data, Tensor):
        warnings.warn(COPY_HINT.format(spelled), UserWarning, stacklevel=3)
        target = (dtype or data.dtype).array
        warn_of_discarding(data._array.dtype, target)
        array = (data._array if target.kind in "cb" else data._array.real).astype(target)
    else:
        array = array_from(data, dtype)
    made = leaf(array, how, requires_grad, where)
    if observing.listener is not None:
        for source in tensors_in(data):
            if source.requires_grad:
                observing.listener.left_graph("copied", source, made, how)
    return made


def tensors_in(data: Any) -> list[Tensor]:
    """The tensors whose values were copied."""
    if isinstance(data, Tensor):
        return [data]
    if not is_sequence(data) or isinstance(data, np.ndarray):  # an array holds numbers, if it has dimensions at all
        return []
    return [part for part in flattened(data) if isinstance(part, Tensor)]


@composite(at="tensor")
def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """``torch.tensor`` with this tensor's dtype where none is given."""
    where = require_place(None, device or self.device, pin_memory, moved=True)
    chosen = resolved_dtype("new_tensor", dtype) or self.dtype
    return copied(data, chosen, "new_tensor", "tensor.new_tensor", requires_grad, where)


@composite(at="torch")
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """``data`` as a tensor, without a copy if it is a tensor or an array of that dtype already."""
    chosen = resolved_dtype("as_tensor", dtype)
    if isinstance(data, Tensor):
        return data.to(data.device if device is None else device, chosen or data.dtype)
    where = placed(device, moved=True)
    if where is META:
        return copied(data, chosen, "as_tensor", "", False, where)
    if isinstance(data, np.ndarray):
        found = checked_array_dtype(data)
        return shared(data, "as_tensor") if chosen in (None, found) else copied(data, chosen, "as_tensor", "", False)
    return copied(data, chosen, "as_tensor", "", False)


@composite(at="torch")
def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """``as_tensor`` with a say in copying (None: only if needed) and in gradients.

    Raises:
        ValueError: a copy is needed, and was forbidden.
    """
    made: Tensor = as_tensor(obj, dtype, device)
    source = obj._array if isinstance(obj, Tensor) else obj
    shares = made is obj or made._array is source
    if copy is False and not shares:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    if copy and shares:
        made = made.clone()
    if requires_grad is not None and requires_grad != made.requires_grad:
        made = made.detach() if made is obj else made
        made._tracked(requires_grad)
    return made


@composite(at="torch")
def from_numpy(ndarray: Any) -> Tensor:
    """A tensor that shares the array's memory: writing into one shows in the other.

    Raises:
        TypeError: not an array, or of a type that tensors cannot hold.
    """
    if not isinstance(ndarray, np.ndarray):
        kind = type(ndarray)
        name = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        raise TypeError(f"expected np.ndarray (got {name})")
    checked_array_dtype(ndarray)
    return shared(ndarray, "from_numpy")


def shared(array: np.ndarray, how: str) -> Tensor:
    """A tensor on the array's own memory."""
    if not array.flags.writeable:
        warn_once(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
            "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
            "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
            "the rest of this program.",
            stacklevel=3,
        )
    made = leaf(array, how)
    made._array = array
    return made


@composite(at="torch")
def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A 1-d tensor on the memory of a Python buffer (``bytearray``, ``memoryview``).

    Raises:
        ValueError: the buffer does not hold that many elements from ``offset`` on.
    """
    chosen = resolved_dtype("frombuffer", dtype)
    assert chosen is not None
    memory = memoryview(buffer).cast("B")
    length, item = memory.nbytes, chosen.itemsize
    if not length or not count:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count < 0:
        if (length - offset) % item:
            raise ValueError(
                f"buffer length ({length - offset} bytes) after offset ({offset} bytes) "
                f"must be a multiple of element size ({item})"
            )
        count = (length - offset) // item
    elif offset + count * item > length:
        raise ValueError(
            f"requested buffer length ({count} * {item} bytes) after offset ({offset} bytes) "
            f"must not be greater than actual buffer length ({length} bytes)"
        )
    return leaf(np.frombuffer(memory, chosen.array, count, offset), "frombuffer", requires_grad)


def ones_like_scalar(self: Tensor) -> Tensor:
    """The gradient a scalar root starts with."""
    if modes.dispatching:
        options = {"pin_memory": False, "memory_format": preserve_format}
        seed: Tensor = dispatch.asked("ones_like", ones_like, (self,), options)
        return seed
    if modes.meta_met and self.device is META:
        found: Tensor = ones_like(self)
        return found
    return wrap(np.ones(self._array.shape, self._array.dtype) if self._array.ndim else self._array.dtype.type(1))


Tensor._ones = ones_like_scalar
