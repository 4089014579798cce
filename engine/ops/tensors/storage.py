"""The memory under a tensor: its address and length, and methods that exchange or resize it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.dtype_names import c_type
from engine.observe import state as observing
from engine.ops.core.declare import composite, operator
from engine.ops.core.geometry import address, offset_of, reshape_storage, storage_of, strides_of
from engine.ops.core.inplace import any_requires_grad, check_writable, raise_version
from engine.tensor import Tensor, materialise


class UntypedStorage:
    """``torch.UntypedStorage``: bytes, whatever they mean."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def data_ptr(self) -> int:
        """Address of the first byte: equal for tensors that share memory."""
        return address(self._array)

    def nbytes(self) -> int:
        """Number of bytes."""
        return self._array.nbytes

    size = nbytes

    def __len__(self) -> int:
        return self._array.nbytes

    def __repr__(self) -> str:
        numbers = self._array.ravel(order="K").view(np.uint8)
        return "".join(f" {n}\n" for n in numbers) + f"[torch.storage.UntypedStorage(device=cpu) of size {len(self)}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self._array is other._array

    def __hash__(self) -> int:
        return id(self._array)


class TypedStorage(UntypedStorage):
    """``torch.TypedStorage``: the same memory, counted in elements."""

    @property
    def dtype(self) -> dtypes.dtype:
        """The elements' type."""
        return dtypes.BY_ARRAY[self._array.dtype]

    def __len__(self) -> int:
        return self._array.size

    size = __len__

    def __repr__(self) -> str:
        elements = "".join(f" {n}\n" for n in self.tolist())
        return f"{elements}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"

    def element_size(self) -> int:
        """Bytes per element."""
        return self._array.itemsize

    def untyped(self) -> UntypedStorage:
        """The memory counted in bytes."""
        return UntypedStorage(self._array)

    def tolist(self) -> list[Any]:
        """All elements in the order of memory."""
        return self._array.ravel(order="K").tolist()

    def __getitem__(self, index: int) -> Any:
        return self.tolist()[index]


TypedStorage.__module__ = "torch.storage"


@composite(at="tensor")
def data_ptr(self: Tensor) -> int:
    """Address of the first element; only good for comparing."""
    return address(materialise(self)) if self._array.size else 0


@composite(at="tensor")
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory it looks at, all of it, in bytes."""
    return UntypedStorage(storage_of(self))


@composite(at="tensor")
def storage(self: Tensor) -> TypedStorage:
    """The memory it looks at, all of it, in elements; PyTorch is about to give it up."""
    warnings.warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. This should "
        "only matter to you if you are using storages directly.  To access UntypedStorage directly, use tensor.untyped_storage() "
        "instead of tensor.storage()",
        UserWarning,
        stacklevel=3,
    )
    return TypedStorage(storage_of(self))


@composite(at="tensor")
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both look at the same storage in the same way."""
    same = storage_of(self) is storage_of(tensor) and self._array.shape == tensor._array.shape
    return same and strides_of(self) == strides_of(tensor) and offset_of(self) == offset_of(tensor)


def no_derivative(grad: Tensor) -> Tensor:
    """Raises:
    RuntimeError: always, in PyTorch's words.
    """
    raise RuntimeError("derivative for set_ is not implemented")


@operator(at="internal", name="set_", grad_fn="NotImplemented", self=no_derivative, source=no_derivative)
def replaced(self: Any, source: Any) -> Any:
    """One storage in another's place. PyTorch gives it no derivative."""
    return source


@composite(at="tensor")
def set_(self: Tensor, source: Tensor | None = None) -> Tensor:
    """Looks at ``source``'s storage from now on; at none without it. PyTorch gives that no derivative.

    A leaf gets a new AccumulateGrad: what graphs hold is the old.

    Raises:
        RuntimeError: for a leaf that requires grad, or another dtype.
    """
    arguments = (self, source)
    check_writable(self, arguments)
    if source is not None and source._array.dtype != self._array.dtype:
        raise RuntimeError(f"Could not set tensor of type {c_type(source)} to a tensor of type {c_type(self)}")
    array = np.zeros(0, self._array.dtype) if source is None else materialise(source)
    placeholder = Tensor._output_again(array, self._counter, None, 0)
    tracked = modes.grad_enabled and any_requires_grad(arguments)
    node = replaced.record(arguments, [placeholder]) if tracked else None
    self._accumulator = None
    before = raise_version(self)
    if node is not None:
        self._rebase_history(node)
    self._array = array
    if node is not None and self._base is not None:
        self._regenerate_grad_fn()
    if observing.listener is not None:
        observing.listener.written(self, "set_", before, before + 1, node)
    return self


@composite(at="tensor")
def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Gives the tensor another shape on its storage, which grows if need be.

    Raises:
        RuntimeError: it requires grad; it is an inference tensor, and the mode is off.
    """
    if self.requires_grad and not modes.inference:
        raise RuntimeError("cannot resize variables that require grad")
    shape = tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], list | tuple) else tuple(sizes)
    if shape == self._array.shape:
        return self
    reshape_storage(self, shape)
    before = raise_version(self)
    if observing.listener is not None:
        observing.listener.written(self, "resize_", before, before + 1, None)
    return self


@composite(at="tensor")
def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """`resize_` to the shape of another tensor."""
    resize_(self, the_template._array.shape)
    return self


@composite(at="tensor")
def is_shared(self: Tensor) -> bool:
    """Whether other processes see its memory: never here."""
    return False


@composite(at="tensor")
def share_memory_(self: Tensor) -> Tensor:
    """There is no other process to share with."""
    return self


@composite(at="tensor")
def is_pinned(self: Tensor) -> bool:
    """Whether its memory is pinned for an accelerator: never here."""
    return False
