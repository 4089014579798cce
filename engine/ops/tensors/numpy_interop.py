"""Between tensors and numpy, and Python's own protocols for copying and walking a tensor backwards."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.observe import state as observing
from engine.ops.core.batching import inside
from engine.ops.core.declare import composite
from engine.ops.core.geometry import look, offset_in, owner_of, strides_of
from engine.ops.core.inplace import store
from engine.ops.core.writable import check_writable
from engine.ops.factories.filled import empty
from engine.ops.layout.copies import copied
from engine.ops.layout.leaving import numpy
from engine.placement import META
from engine.storage import materialise
from engine.tensor import Parameter, Tensor, new, wrap


def as_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """``np.asarray(tensor)``: the storage itself, unless another dtype or a copy is wanted.

    Raises:
        RuntimeError: for a tensor that requires grad.
    """
    array: np.ndarray = numpy(self)
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


def wrap_array(self: Tensor, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What a numpy function of a tensor gives back: a tensor (of numbers 0 and 1 for truth values)."""
    return wrap(array.astype(np.uint8) if array.dtype == np.bool_ else array)


def deep_copy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """``copy.deepcopy``: a leaf on its own storage; tensors that share storage share it still in the copies.

    Raises:
        RuntimeError: for a result, which stands in a graph that cannot be copied.
    """
    if self.grad_fn is not None and modes.grad_enabled:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment. "
            " If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm "
            "usage, see https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    made = _deep_copied(self, memo)
    if observing.listener is not None:
        observing.listener.created(made, "deepcopy")
    return made


def _deep_copied(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """The copy and what belongs to it: its attributes and, of a leaf that is no parameter, its gradient."""
    made: Tensor = inside(new(type(self)))
    made._array = deep_copied_array(self, memo)
    made._requires_grad = self._requires_grad
    if not made._is_parameter:
        made._touch()  # PyTorch sets an empty tensor to the copied storage
    if not made._is_parameter:  # a parameter's copy starts without, as in PyTorch
        for name, value in own_attributes(self).items():
            setattr(made, name, copy.deepcopy(value, memo))
    memo[id(self)] = made
    if self._grad is not None and not isinstance(self, Parameter):  # a parameter's copy starts afresh, as in PyTorch
        known = memo.get(id(self._grad))
        made._grad = _deep_copied(self._grad, memo) if known is None else known
    return made


def own_attributes(self: Tensor) -> dict[str, Any]:
    """What a program has hung on the tensor, such as ``x.label = "input"``."""
    return {name: value for name, value in vars(self).items() if name != "_array" and not hasattr(Tensor, name)}


def deep_copied_array(self: Tensor, memo: dict[int, Any]) -> Any:
    """The array on a copy of its storage; ``memo`` holds the copies made so far by the address of the owner."""
    if type(self._array) is not np.ndarray or not self._strided:
        return self._array.copy()
    owner = owner_of(self._array)
    if owner is self._array and id(owner) not in memo:
        memo[id(owner)] = copied(owner, "preserve_format")
    elif id(owner) not in memo:
        memo[id(owner)] = owner.copy("K")
    twin = memo[id(owner)]
    if owner is self._array:
        return twin
    return look(twin, self._array.shape, strides_of(self), offset_in(self._array, owner))


def reduced(self: Tensor, protocol: Any) -> Any:
    """For ``pickle`` and ``copy.copy``: storage, window, ``requires_grad`` and what a program has hung on the tensor, but neither
    graph nor gradient nor hooks.

    What shares a storage shares it after loading too, if saved in one go.
    """
    attributes = own_attributes(self)
    return (*remade_by(self), attributes) if attributes else remade_by(self)


def remade_by(self: Tensor) -> tuple[Any, tuple[Any, ...]]:
    """A function and its arguments, which make the tensor again."""
    # The two classes call themselves torch's, where pickle would look for them.
    kind = KINDS.get(type(self), type(self))
    if not self._strided:
        return rebuilt, (kind, self._array, False)  # of a sparse tensor PyTorch keeps places and values only
    if modes.meta_met and self.device is META:
        return without_elements, (kind, tuple(self._array.shape), self.dtype, self.requires_grad)
    array = np.asarray(self._array)
    owner = owner_of(array)
    if owner is array or owner.dtype != array.dtype or not owner.flags.forc:  # pickle would put the storage in order
        return rebuilt, (kind, array, self.requires_grad)
    return rebuilt, (kind, owner, self.requires_grad, array.shape, strides_of(self), offset_in(array, owner))


def without_elements(kind: Any, shape: tuple[int, ...], dtype: Any, requires_grad: bool) -> Tensor:
    """A meta leaf of that form."""
    return rebuilt(kind, empty(*shape, dtype=dtype, device=META)._array, requires_grad)


KINDS: dict[type, str] = {Tensor: "tensor", Parameter: "parameter"}


def rebuilt(kind: Any, array: Any, requires_grad: bool, *window: Any) -> Tensor:
    """A leaf around the array, or around a ``window`` on it: shape, strides and where it begins, in elements."""
    if window:
        array = look(array, *window)
    classes = {name: kind for kind, name in KINDS.items()}
    made: Tensor = inside(new(classes.get(kind, kind)))
    made._array, made._requires_grad = array, requires_grad
    return made


def backwards(self: Tensor) -> Tensor:
    """``reversed(tensor)``: a tensor whose first dimension runs backwards."""
    return self.flip(0) if self._array.ndim else self


@composite(at="tensor")
def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replaces every element by what a Python function makes of it.

    Raises:
        RuntimeError: for a tensor that requires grad, since nobody knows the function's slope.
    """
    return mapped(self, "apply_", callable, ())


@composite(at="tensor")
def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replaces every element by what a Python function makes of it and its partner in another tensor.

    Raises:
        RuntimeError: for a tensor that requires grad, since nobody knows the function's slope.
    """
    return mapped(self, "map_", callable, (tensor,))


def mapped(self: Tensor, name: str, function: Callable[..., Any], others: tuple[Tensor, ...]) -> Tensor:
    """``apply_`` and ``map_``.

    Raises:
        RuntimeError: a tensor that requires grad.
    """
    if any(t.requires_grad for t in (self, *others)):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    check_writable(self)
    arrays = [np.broadcast_to(t._array, self._array.shape) for t in (self, *others)]
    values = [function(*(v.item() for v in row)) for row in zip(*(a.flat for a in arrays), strict=True)]
    store(self, np.array(values, self._array.dtype).reshape(self._array.shape), name)
    return self


for _name, _function in (
    ("__array__", as_array), ("__array_wrap__", wrap_array), ("__deepcopy__", deep_copy), ("__reduce_ex__", reduced),
    ("__reversed__", backwards),
):  # fmt: skip
    setattr(Tensor, _name, _function)


def require_exportable(self: Tensor) -> None:
    """Raises BufferError: the tensor requires grad, which an exchange of memory would lose."""
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")


@composite(at="tensor")
def __dlpack__(self: Tensor, *, stream: Any = -1, **options: Any) -> Any:
    """The tensor's memory for another library (``np.from_dlpack``)."""
    require_exportable(self)
    return materialise(self).__dlpack__(**options)


@composite(at="tensor")
def __dlpack_device__(self: Tensor) -> tuple[int, int]:
    """The CPU, as DLPack numbers it."""
    return (1, 0)
