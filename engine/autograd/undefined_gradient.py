"""``torch._C._functions.UndefinedGrad``: passes a value on, and no gradient back.

Tests put it behind an output to see whether a derivative copes with a gradient that does not arrive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.autograd.currency import currency
from engine.autograd.modes import state
from engine.autograd.node import Node, next_sequence_nr


class UndefinedGradBackward(Node):
    """Sends "no gradient" along its edge, whatever arrives."""

    def __init__(self, tensor: Any) -> None:
        self.edges = (tensor._gradient_edge(),)
        self.shapes, self.dtypes = (tensor._array.shape,), (tensor._array.dtype,)
        self.sequence_nr = next_sequence_nr()

    def name(self) -> str:
        """As in C++."""
        return "torch::autograd::UndefinedGradBackward"

    def apply(self, gradients: list[Any]) -> Sequence[Any]:
        """One None."""
        return [None]

    apply_bare = apply


class UndefinedGrad:
    """``UndefinedGrad()(tensor)``: the same values, at a node that swallows the gradient."""

    def __call__(self, tensor: Any) -> Any:
        """A result on the same storage."""
        result = currency.wrap(tensor._array)
        if state.grad_enabled and tensor.requires_grad:
            result._node, result._requires_grad = UndefinedGradBackward(tensor), True
        return result
