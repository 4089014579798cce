"""What a tensor answers about itself: sizes, strides, kind. None of it leaves a trace in the graph."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine.ops.core.batching import refuse_branching
from engine.ops.core.catalogue import publish
from engine.ops.core.declare import composite
from engine.ops.core.dimension import wrapped
from engine.ops.core.geometry import offset_of, strides_of
from engine.ops.core.handed_on import require_kind
from engine.placement import CPU, META, require_cpu
from engine.size import size_of
from engine.tensor import Tensor


@composite(at="tensor")
def size(self: Tensor, dim: int | None = None) -> Any:
    """All lengths, or that of one dimension.

    Raises:
        IndexError: no dimensions.
    """
    shape = self._array.shape
    if dim is None:
        return size_of(shape)
    if type(dim) is not int:
        require_kind(dim, "int", "size", "dim", 1)
    if not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return shape[wrapped(dim, len(shape))]


@composite(at="tensor", aliases="ndimension")
def dim(self: Tensor) -> int:
    """Number of dimensions."""
    return self._array.ndim


@composite(at="torch tensor", aliases="tensor.nelement")
def numel(input: Tensor) -> int:
    """Number of elements."""
    return self_checked(input, "numel")._array.size


def self_checked(value: Any, function: str) -> Tensor:
    """The tensor, or PyTorch's refusal of anything else.

    Raises:
        TypeError: no tensor.
    """
    if not isinstance(value, Tensor):
        kind = type(value).__name__
        raise TypeError(f"{function}(): argument 'input' (position 1) must be Tensor, not {kind}")
    return value


@composite(at="tensor")
def element_size(self: Tensor) -> int:
    """Bytes per element."""
    return self._array.itemsize


@composite(at="tensor")
def stride(self: Tensor, dim: int | None = None) -> Any:
    """Elements to skip in storage per step, for all dimensions or one.

    Raises:
        IndexError: no dimensions.
    """
    strides = strides_of(self)
    if dim is None:
        return strides
    if not strides:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return strides[wrapped(dim, len(strides))]


@composite(at="tensor")
def storage_offset(self: Tensor) -> int:
    """Elements of the storage before its first one."""
    return offset_of(self)


@composite(at="torch tensor")
def is_signed(input: Tensor) -> bool:
    """Whether its type has negative numbers."""
    return input.dtype.is_signed


@composite(at="torch tensor")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether both have one shape."""
    return input._array.shape == other._array.shape


@composite(at="torch tensor")
def is_inference(input: Tensor) -> bool:
    """Whether it was made in inference mode, and so can never be recorded."""
    return input._inference


@composite(at="torch tensor")
def is_nonzero(input: Tensor) -> bool:
    """Whether its one element is not 0.

    Raises:
        RuntimeError: it has none, or several.
    """
    refuse_branching(input, control_flow=True)
    if input._array.size != 1:
        count = "no values" if not input._array.size else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {count} is ambiguous")
    return bool(input._array.item())


@composite(at="torch")
def is_tensor(obj: Any) -> bool:
    """Whether it is a tensor."""
    return isinstance(obj, Tensor)


@composite(at="torch")
def typename(obj: Any) -> str:
    """``torch.FloatTensor`` for a tensor, else the name of the type with its module."""
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if isinstance(obj, type) else type(obj)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


@composite(at="tensor")
def get_device(self: Tensor) -> int:
    """Index of its accelerator; −1, for there is none."""
    return -1


@composite(at="tensor")
def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """Refused as by a PyTorch without CUDA."""
    require_cpu("cuda" if device is None else device)
    return self


def read_volatile(self: Tensor) -> bool:
    """``volatile``, which was replaced by ``torch.no_grad``."""
    warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
    return False


def write_volatile(self: Tensor, value: bool = False) -> None:
    """The same, written or deleted."""
    warnings.warn(
        "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", UserWarning, stacklevel=2
    )


Tensor.volatile = property(read_volatile, write_volatile, write_volatile)


def always(name: str, value: bool) -> None:
    """A property with one answer for all that is dense and on the CPU."""
    setattr(Tensor, name, property(lambda self: value, doc=f"{value}: the tensor is dense, and on the CPU."))


Tensor.name = property(lambda self: None, doc="None: a tensor has no name of its own.")

Tensor.is_cpu = property(lambda self: self.device is CPU, doc="Whether it has elements, on the CPU.")
Tensor.is_meta = property(lambda self: self.device is META, doc="Whether it has a form only, and no elements.")
for _name in (
    "is_cuda", "is_sparse", "is_sparse_csr", "is_quantized", "is_mkldnn", "is_nested", "is_mps", "is_xpu",
    "is_vulkan", "is_ipu", "is_xla", "is_maia",
):  # fmt: skip
    always(_name, False)

for _name, _value in (("inf", np.inf), ("nan", np.nan), ("pi", np.pi), ("e", np.e), ("newaxis", None)):
    publish("torch", _name, _value)


@composite(at="torch", name="_assert", parsed=False)
def assert_(condition: Any, message: str) -> None:
    """``assert`` as a function, for programs that are traced in PyTorch.

    Raises:
        AssertionError: the condition is false.
    """
    if not condition:
        raise AssertionError(message)
