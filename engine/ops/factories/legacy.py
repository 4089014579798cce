"""Constructors from before dtypes: ``torch.Tensor(2, 3)``, ``torch.FloatTensor([1, 2])``, ``tensor.new(…)``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype_names import C_TYPE, SCALAR_TYPE, c_type
from engine.dtype_names import CLASSES as OLD_CLASSES
from engine.errors import require_bool
from engine.observe import state as observing
from engine.ops.core.batching import inside
from engine.ops.core.catalogue import publish
from engine.ops.core.declare import composite
from engine.ops.factories.creation import tensors_in
from engine.ops.factories.factory import checked_size
from engine.ops.factories.literals import array_from, is_sequence
from engine.ops.layout.axes import alias
from engine.placement import require_cpu
from engine.size import Size
from engine.storage import materialise, shared_counter
from engine.tensor import Tensor, new

CLASSES = {
    SCALAR_TYPE[dtype.name]: dtype for dtype in dtypes.ALL if SCALAR_TYPE[dtype.name] in (*OLD_CLASSES, "BFloat16")
}
"""``torch.FloatTensor`` and the like: the dtypes that have one, by the word in the middle."""


def legacy_array(args: tuple[Any, ...], dtype: dtypes.dtype) -> np.ndarray:
    """Sizes make room, a sequence makes values, a tensor shares its memory.

    Raises:
        TypeError: a number that is no size, or a tensor of another type.
    """
    if not args:
        return np.zeros((0,), dtype.array)
    first = args[0]
    if len(args) > 1:
        if isinstance(first, Tensor) and (first.is_floating_point() or first.numel() != 1):
            raise TypeError(unfit(args, {}))
    elif isinstance(first, Tensor):
        if first.dtype is not dtype:
            raise TypeError(f"expected {options(C_TYPE[dtype.name])} (got {options(c_type(first))})")
        return materialise(first)
    elif isinstance(first, Size):
        return np.zeros(first, dtype.array)
    elif isinstance(first, np.ndarray) and not first.ndim:
        return first.astype(dtype.array)
    elif is_sequence(first):
        return array_from(tuple(first), dtype)
    elif isinstance(first, str):
        raise TypeError("new(): invalid data type 'str'")
    elif isinstance(first, float | complex | type(None)):
        raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
    return np.zeros(checked_size("new", args), dtype.array)


def unfit(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """PyTorch's words about arguments from which it makes no tensor."""
    from engine.ops.core.argument_parser import complaint  # here, since importing torch should be quick

    return complaint("tensor", "new", args, kwargs) or "new() received an invalid combination of arguments"


def options(kind: str) -> str:
    """How ``c10::TensorOptions`` of a plain tensor show themselves."""
    return (
        f"TensorOptions(dtype={kind}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )


def legacy(cls: type[Tensor], args: tuple[Any, ...], dtype: dtypes.dtype) -> Tensor:
    """A new tensor of sizes or values; of a tensor, another look at it, still in its graph (a subclass leaves the graph)."""
    array = legacy_array(args, dtype)
    if cls is Tensor and len(args) == 1 and isinstance(args[0], Tensor):
        return alias(args[0])
    made: Tensor = inside(new(cls))
    made._array = array
    if observing.listener is not None and args:
        observing.listener.created(made, "Tensor")
        for source in tensors_in(args[0]):
            if source.requires_grad:
                observing.listener.left_graph("copied", source, made, "Tensor")
    return made


def construct(cls: type[Tensor], *args: Any, device: Any = None, **kwargs: Any) -> Tensor:
    """``torch.Tensor(…)``, and the same for its subclasses (which may take keywords of their own).

    Raises:
        TypeError: arguments by name, other than ``size``.
    """
    if "size" in kwargs and not args:
        args = (Size(kwargs.pop("size")),)
    if kwargs and cls is Tensor:
        raise TypeError(unfit(args, kwargs))
    require_cpu(device)
    if cls is Tensor and len(args) == 1 and isinstance(args[0], Tensor):
        return alias(args[0])  # of any dtype
    return legacy(cls, args, dtypes.defaults.floating)


def make_subclass(cls: type[Tensor], data: Tensor, require_grad: bool = False) -> Tensor:
    """``torch.Tensor._make_subclass``: a leaf of that class which shares memory with ``data``.

    Raises:
        TypeError: no class of tensors.
    """
    require_bool(require_grad, "_make_subclass", "require_grad", 3)
    if not issubclass(cls, Tensor):
        raise TypeError(
            f"Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. {cls.__name__} does not."
        )
    made: Tensor = inside(new(cls))
    made._array, made._counter = materialise(data), shared_counter(data)
    made._set_requires_grad(require_grad, "Only Tensors of floating point and complex dtype can require gradients")
    return made


Tensor.__new__ = construct  # type: ignore[assignment]  # object's takes no arguments
Tensor._make_subclass = staticmethod(make_subclass)


@composite(at="tensor", name="new")
def new_of_this_type(self: Tensor, *args: Any, device: Any = None) -> Tensor:
    """``torch.Tensor(…)`` with this tensor's dtype."""
    require_cpu(device)
    return legacy(Tensor, args, self.dtype)


class TypedTensor(type):
    """The class of ``torch.FloatTensor`` and its kin: calling makes a tensor, ``isinstance`` asks for the dtype."""

    dtype: dtypes.dtype

    def __call__(cls, *args: Any, device: Any = None, **kwargs: Any) -> Tensor:
        """A tensor of this type."""
        if "size" in kwargs and not args:
            args = (Size(kwargs.pop("size")),)
        if kwargs:
            raise TypeError(unfit(args, kwargs))
        require_cpu(device)
        return legacy(Tensor, args, cls.dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


for _word, _dtype in CLASSES.items():
    publish("torch", f"{_word}Tensor", TypedTensor(f"{_word}Tensor", (), {"dtype": _dtype, "__module__": "torch"}))


@composite(at="torch")
def set_default_tensor_type(t: Any) -> None:
    """The type that Python floats become, given as a class from before dtypes or as its name.

    Raises:
        TypeError: not a floating type.
    """
    warnings.warn(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives.",
        UserWarning,
        stacklevel=3,
    )
    words = {f"torch.{word}Tensor": dtype for word, dtype in CLASSES.items()}
    chosen = words.get(t) if isinstance(t, str) else getattr(t, "dtype", None)
    if not isinstance(chosen, dtypes.dtype):
        raise TypeError(f"invalid type object: only floating-point types are supported as the default type, got {t!r}")
    if not chosen.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    dtypes.defaults.floating = chosen
