"""The value of a dual tensor without its tangent, connected to the graph by a node of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.autograd.forward_switch import _set_fwd_grad_enabled
from engine.autograd.node import Node, next_sequence_nr
from engine.tensor import CUT, Tensor


class CppFunction(Node):
    """The node of an unpacked value, which PyTorch calls ``torch::autograd::Identity``: its gradient is the dual's."""

    def __init__(self, view: Node) -> None:
        self.edges, self.shapes, self.dtypes = view.edges, view.shapes, view.dtypes
        self.sequence_nr = next_sequence_nr()

    def name(self) -> str:
        """What PyTorch's C++ calls it."""
        return "torch::autograd::Identity"

    def apply(self, gradients: list[Any]) -> Sequence[Any]:
        """Passes the gradient on."""
        return gradients


CppFunction.__module__ = "builtins"


def primal_of(tensor: Tensor) -> Tensor:
    """A view of the value alone (PyTorch's ``_fw_primal``)."""
    with _set_fwd_grad_enabled(False):
        primal = tensor.view_as(tensor)
    primal._tangent_source, primal._special = CUT, True
    if primal._node is not None:
        primal._node = CppFunction(primal._node)
    return primal
