"""The memory under a tensor: its address and length, and methods that exchange or resize it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.dtype_names import SCALAR_TYPE, c_type
from engine.observe import state as observing
from engine.ops.core.batching import refuse_pointer
from engine.ops.core.catalogue import publish
from engine.ops.core.declare import composite, operator
from engine.ops.core.geometry import address, contiguous_strides, offset_of, reshape_storage, storage_of, strides_of
from engine.ops.core.inplace import raise_version
from engine.ops.core.writable import any_requires_grad, check_writable
from engine.placement import CPU
from engine.storage import materialise
from engine.tensor import Tensor, wrap
from engine.warned import warn_once


class UntypedStorage:
    """``torch.UntypedStorage``: bytes, whatever they mean."""

    is_cuda = is_sparse = is_hpu = False

    def __init__(self, array: np.ndarray, device: Any = CPU) -> None:
        self._array, self.device = array, device

    @property
    def _numbers(self) -> Any:
        """All of it in the order of memory, to be read and written."""
        return self._array.ravel(order="K").view(np.uint8)

    def data_ptr(self) -> int:
        """Address of the first byte: equal for tensors that share memory; 0 without any."""
        return address(self._array) if self.device is CPU else 0

    def nbytes(self) -> int:
        """Number of bytes."""
        return self._array.nbytes

    def size(self) -> int:
        """Number of elements."""
        return len(self)

    def element_size(self) -> int:
        """Bytes per element."""
        return int(self._numbers.itemsize)

    def tolist(self) -> list[Any]:
        """All elements in the order of memory."""
        found: list[Any] = self._numbers.tolist()
        return found

    def _place(self, index: Any) -> Any:
        """Raises IndexError: there is no such place."""
        if isinstance(index, int) and not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return index

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: Any) -> Any:
        found = self._numbers[self._place(index)]
        return UntypedStorage(found) if isinstance(index, slice) else found.item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._numbers[self._place(index)] = value

    def __repr__(self) -> str:
        elements = "".join(f" {n}\n" for n in self.tolist()) if self.device is CPU else "...\n"
        return f"{elements}[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self._array is other._array

    def __hash__(self) -> int:
        return id(self._array)

    def clone(self) -> Self:
        """A copy of it all."""
        return type(self)(self._array.copy(order="K"))

    def fill_(self, value: Any) -> Self:
        """Writes one value everywhere."""
        self._numbers[...] = value
        return self

    def copy_(self, source: UntypedStorage, non_blocking: bool = False) -> Self:
        """Takes the elements of another."""
        self._numbers[...] = source._numbers
        return self

    def cpu(self) -> Self:
        """There is no other place."""
        return self

    def untyped(self) -> UntypedStorage:
        """The memory counted in bytes."""
        return self

    def resizable(self) -> bool:
        """Whether it may grow."""
        return True

    def is_pinned(self, device: Any = None) -> bool:
        """Whether it is pinned for an accelerator: never here."""
        return False

    is_shared = is_pinned


class TypedStorage(UntypedStorage):
    """``torch.TypedStorage``: the same memory, counted in elements."""

    @property
    def dtype(self) -> dtypes.dtype:
        """The elements' type."""
        return dtypes.BY_ARRAY[self._array.dtype]

    @property
    def _numbers(self) -> Any:
        return self._array.ravel(order="K")

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, int | slice):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        super().__setitem__(index, value)

    def __repr__(self) -> str:
        elements = "".join(f" {n}\n" for n in self.tolist())
        return f"{elements}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"

    def pickle_storage_type(self) -> str:
        """Its class from before dtypes."""
        return f"{SCALAR_TYPE[self.dtype.name]}Storage"

    def untyped(self) -> UntypedStorage:
        """The memory counted in bytes."""
        return UntypedStorage(self._array)


UntypedStorage.__module__ = TypedStorage.__module__ = "torch.storage"
for _kind in (UntypedStorage, TypedStorage):
    publish("torch", _kind.__name__, _kind)


@composite(at="torch")
def is_storage(obj: Any) -> bool:
    """Whether it is the memory under a tensor."""
    return isinstance(obj, UntypedStorage)


@composite(at="tensor")
def data_ptr(self: Tensor) -> int:
    """Address of the first element; only good for comparing."""
    refuse_pointer(self)
    return address(materialise(self)) if self._array.size and self.device is CPU else 0


@composite(at="tensor")
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory it looks at, all of it, in bytes."""
    return UntypedStorage(storage_of(self), self.device)


@composite(at="tensor")
def storage(self: Tensor) -> TypedStorage:
    """The memory it looks at, all of it, in elements; PyTorch is about to give it up."""
    warn_once(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. This should "
        "only matter to you if you are using storages directly.  To access UntypedStorage directly, use tensor.untyped_storage() "
        "instead of tensor.storage()",
        stacklevel=3,
    )
    return TypedStorage(storage_of(self))


@composite(at="tensor")
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both look at the same storage in the same way."""
    same = storage_of(self) is storage_of(tensor) and self._array.shape == tensor._array.shape
    return same and strides_of(self) == strides_of(tensor) and offset_of(self) == offset_of(tensor)


def no_derivative(grad: Tensor) -> Tensor:
    """Raises RuntimeError: always, in PyTorch's words."""
    raise RuntimeError("derivative for set_ is not implemented")


no_derivative.refuses = True


@operator(at="internal", name="set_", grad_fn="NotImplemented", self=no_derivative, source=no_derivative)
def replaced(self: Any, source: Any) -> Any:
    """One storage in another's place. PyTorch gives it no derivative."""
    return source


@composite(at="tensor")
def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Looks at ``source`` (a tensor, or a storage from an offset on) from now on; at none without it. PyTorch gives that no
    derivative.

    A leaf gets a new AccumulateGrad: what graphs hold is the old.

    Raises:
        RuntimeError: for a leaf that requires grad, or another dtype.
    """
    if isinstance(source, UntypedStorage):
        numbers = source._numbers
        source = wrap(numbers if numbers.dtype == self._array.dtype else numbers.view(self._array.dtype))
    if size is not None:
        source = source.as_strided(size, stride or contiguous_strides(size), storage_offset)
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
        RuntimeError: it requires grad; it is an inference tensor, and the mode is off; a length is negative.
    """
    if self.requires_grad and not modes.inference:
        raise RuntimeError("cannot resize variables that require grad")
    shape = tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], list | tuple) else tuple(sizes)
    if any(length < 0 for length in shape):
        raise RuntimeError("numel: integer multiplication overflow")
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
