"""``torch.autograd.Variable``: what tensors that require grad were called before they were one class."""

from __future__ import annotations

import operator
import warnings
from typing import Any

from engine.autograd.execution import ExecutionEngine
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


class VariableMeta(type):
    """Every tensor counts as a Variable."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """``Variable(data, requires_grad=False)`` gives a tensor on the same storage."""

    __module__ = "torch.autograd.variable"

    _execution_engine = ExecutionEngine()

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool | None = None, **rest: Any) -> Any:
        """A leaf that shares storage with ``data``; an empty one without. ``volatile`` has no effect but a warning.

        Raises:
            TypeError: data that is no tensor, a flag that is no number, or another argument.
            RuntimeError: whole numbers that should get gradients.
        """
        wanted = bool(operator.index(requires_grad))
        if rest:
            raise TypeError(f"'{next(iter(rest))}' is an invalid keyword argument for this function")
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", stacklevel=2
            )
        if data is None:
            data = new_empty()
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if wanted and not (data.is_floating_point() or data.is_complex()):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return data.detach().requires_grad_(wanted)


def new_empty() -> Tensor:
    """What a Variable of nothing holds."""
    made: Tensor = TABLES["torch"]["empty"](0)
    return made
