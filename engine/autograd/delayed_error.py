"""``torch._C._functions.DelayedError``: values that may be used, but not differentiated.

``once_differentiable`` puts what its function returned behind one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.autograd.currency import currency
from engine.autograd.modes import state
from engine.autograd.node import FLOAT32, NO_EDGE, SCALAR, Node, next_sequence_nr


class Error(Node):
    """A node that refuses to run: it stands where ``tensors`` passed, and says why with ``message``."""

    def __init__(self, message: str, tensors: Sequence[Any]) -> None:
        self.message = message
        self.edges = tuple(NO_EDGE if t is None or not t.requires_grad else t._gradient_edge() for t in tensors)
        self.shapes = [SCALAR[0] if t is None else t._array.shape for t in tensors]
        self.dtypes = [FLOAT32[0] if t is None else t._array.dtype for t in tensors]
        self.sequence_nr = next_sequence_nr()

    def name(self) -> str:
        """As in C++."""
        return "torch::autograd::Error"

    def apply(self, gradients: list[Any]) -> Sequence[Any]:
        """Raises RuntimeError: always."""
        raise RuntimeError(self.message)

    apply_bare = apply


class DelayedError:
    """``DelayedError(message, count)(*tensors)``: the same values, whose backward raises RuntimeError with this message."""

    def __init__(self, msg: str, num_inputs: int) -> None:
        self.message, self.count = msg, num_inputs

    def __call__(self, *tensors: Any) -> Any:
        """One result per tensor on the same storage; None stays None.

        Raises:
            TypeError: another number of tensors than was promised.
        """
        if len(tensors) != self.count:
            raise TypeError(f"expected {self.count} arguments, got {len(tensors)} instead")
        results = [None if t is None else currency.wrap(t._array) for t in tensors]
        if state.grad_enabled and any(t is not None and t.requires_grad for t in tensors):
            node = Error(self.message, tensors)
            for number, result in enumerate(results):
                if result is not None:
                    result._node, result._output_nr, result._requires_grad = node, number, True
        return results[0] if len(results) == 1 else tuple(results)
