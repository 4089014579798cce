"""``torch.autograd.Variable``: what tensors that require grad were called before they were one class."""

from __future__ import annotations

from typing import Any

from engine.autograd.execution import ExecutionEngine
from engine.tensor import Tensor


class VariableMeta(type):
    """Every tensor counts as a Variable."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """``Variable(data, requires_grad=False)`` gives a tensor on the same storage."""

    _execution_engine = ExecutionEngine()

    def __new__(cls, data: Any = None, requires_grad: bool = False) -> Any:
        """A leaf that shares storage with ``data``."""
        return data.detach().requires_grad_(requires_grad)
