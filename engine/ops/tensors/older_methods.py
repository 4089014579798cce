"""Methods of tensors that Python 2, or other devices, had a use for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from engine.errors import Explained
from engine.ops.core.declare import composite
from engine.ops.tensors.numpy_interop import mapped
from engine.tensor import Tensor


@composite(at="tensor")
def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Replaces every element by what a Python function makes of it and its partners in two other tensors.

    Raises:
        RuntimeError: for a tensor that requires grad, since nobody knows the function's slope.
    """
    return mapped(self, "map2_", callable, (x, y))


@composite(at="tensor")
def pin_memory(self: Tensor, device: Any = None) -> NoReturn:
    """Raises RuntimeError: there is no accelerator whose copies would be faster for it."""
    raise RuntimeError(
        Explained(
            "Cannot access accelerator device when none is available.",
            "Leave pin_memory() out on a CPU, or ask torch.cuda.is_available() first.",
        )
    )


@composite(at="tensor")
def is_distributed(self: Tensor) -> bool:
    """False."""
    return False


for _older, _newer in {"__nonzero__": "__bool__", "__long__": "__int__", "__div__": "__truediv__", "__rdiv__": "__rtruediv__",
                       "__idiv__": "__itruediv__"}.items():  # fmt: skip
    setattr(Tensor, _older, getattr(Tensor, _newer))
