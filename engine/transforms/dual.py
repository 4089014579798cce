"""Dual tensors: a value and its tangent joined, and taken apart again (``torch.autograd.forward_ad``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.autograd.forward_switch import Level, _set_fwd_grad_enabled
from engine.autograd.node import Node, next_sequence_nr
from engine.observe import state as observing
from engine.ops.core.tangents import set_tangent, tangent_of
from engine.tensor import CUT, Tensor
from engine.transforms.forward import push_forward


class UnpackedDualTensor(NamedTuple):
    """A value and its tangent (None if it has none)."""

    primal: Tensor
    tangent: Tensor | None


class Identity(Node):
    """The node of an unpacked value: its gradient is the dual's."""

    def __init__(self, view: Node) -> None:
        self.edges, self.shapes, self.dtypes = view.edges, view.shapes, view.dtypes
        self.sequence_nr = next_sequence_nr()

    def apply(self, gradients: list[Any]) -> Sequence[Any]:
        """Passes the gradient on."""
        return gradients


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of ``tensor`` that carries ``tangent``.

    Raises:
        RuntimeError: outside a dual level; a tangent of another shape; a tensor or tangent that has a tangent already.
        ValueError: for whole numbers.
    """
    if not Level.entered:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for name, given in (("primal", tensor), ("tangent", tangent)):
        if not (given.is_floating_point() or given.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {given.dtype}")
    if tangent_of(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported."
        )
    dual = tensor.view_as(tensor)
    dual._tangent_source, dual._special = CUT, True
    with observing.silent():
        set_tangent(dual, tangent)
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """A view of the value without its tangent, and the tangent; outside a dual level, the tensor itself and None."""
    if not Level.entered:
        return UnpackedDualTensor(tensor, None)
    with _set_fwd_grad_enabled(False):
        primal = tensor.view_as(tensor)
    primal._tangent_source, primal._special = CUT, True
    if primal._node is not None:
        primal._node = Identity(primal._node)
    return UnpackedDualTensor(primal, tangent_of(tensor))


__all__ = ["UnpackedDualTensor", "make_dual", "push_forward", "unpack_dual"]
