"""Empty tensors for layers to initialise."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.late import Late
from engine.ops.core.batching import inside
from engine.ops.factories.factory import checked_size, resolved_dtype
from engine.placement import META, placed
from engine.storage import mark_inference
from engine.tensor import Parameter, Tensor, wrap

if TYPE_CHECKING:
    from engine.ops.meta import arrays as meta_arrays
else:
    meta_arrays = Late("engine.ops.meta.arrays")


def empty(*shape: int, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor whose values come later (zeros until then: runs must not depend on old memory); none on the meta device.

    Raises:
        TypeError: a size that is no whole number, as ``torch.empty`` says it.
        RuntimeError: a negative size.
    """
    array_dtype = (resolved_dtype("empty", dtype) or dtypes.defaults.floating).array
    if placed(device) is META:
        return inside(wrap(meta_arrays.meta_array(checked_size("empty", (shape,)), array_dtype)))
    try:
        made = wrap(np.zeros(shape, array_dtype))
    except (TypeError, ValueError):
        made = wrap(np.zeros(checked_size("empty", shape if len(shape) == 1 else (shape,)), array_dtype))
    if modes.inference:
        mark_inference(made)
    return inside(made)


def count(device: Any = None) -> Tensor:
    """A whole number that starts from 0."""
    return empty(dtype=dtypes.int64, device=device) if placed(device) is META else inside(wrap(np.array(0, np.int64)))


def empty_parameter(*shape: int, dtype: Any = None, device: Any = None) -> Parameter:
    """`empty` as a parameter."""
    return Parameter(empty(*shape, dtype=dtype, device=device))


def add_parameter(module: Any, name: str, shape: tuple[int, ...] | None, dtype: Any, device: Any) -> None:
    """Gives a module an `empty_parameter` of that name; None in its place, without a shape."""
    made = None if shape is None else empty_parameter(*shape, dtype=dtype, device=device)
    module.register_parameter(name, made)


class OwnNames:
    """For what several public classes share: gives each methods of its own name, which Python's errors about arguments say.

    What a public class wrote keeps that class's name where it is inherited.
    """

    _own: ClassVar[tuple[str, ...]] = ("__init__",)
    """The methods that PyTorch wrote once per class."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in cls._own if cls.__module__.startswith("engine.") else ():
            shared = getattr(cls, name)
            if name not in vars(cls) and shared.__qualname__.startswith("_"):
                setattr(cls, name, renamed(shared, f"{cls.__name__}.{name}"))


def renamed(function: FunctionType, name: str) -> FunctionType:
    """The same function under another qualified name."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__qualname__ = function.__kwdefaults__, name
    return copy


def pair(value: Any) -> tuple[Any, ...]:
    """``3`` as ``(3, 3)``."""
    return repeated(value, 2)


def repeated(value: Any, count: int) -> tuple[Any, ...]:
    """A number ``count`` times; a sequence as a tuple."""
    return tuple(value) if isinstance(value, list | tuple) else (value,) * count
