"""Dual tensors: a value and its tangent joined, and taken apart again (``torch.autograd.forward_ad``)."""

from __future__ import annotations

from typing import NamedTuple

from engine.autograd.forward_switch import Level
from engine.observe import state as observing
from engine.ops.core.tangents import set_tangent, tangent_of
from engine.tensor import CUT, Tensor
from engine.transforms.forward import push_forward
from engine.transforms.primal import primal_of


class UnpackedDualTensor(NamedTuple):
    """A value and its tangent (None if it has none)."""

    primal: Tensor
    tangent: Tensor | None


UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"


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
    check_differentiable(tensor, tangent)
    if tangent_of(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported."
        )
    dual = tensor.view_as(tensor)
    dual._tangent_source, dual._special = CUT, True
    with observing.silent():
        set_tangent(dual, tangent)
    return dual


def check_differentiable(tensor: Tensor, tangent: Tensor) -> None:
    """Raises ValueError: one of them is of whole numbers."""
    for name, given in (("primal", tensor), ("tangent", tangent)):
        if not (given.is_floating_point() or given.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {given.dtype}")


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """A view of the value without its tangent, and the tangent; outside a dual level, the tensor itself and None."""
    if not Level.entered:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(primal_of(tensor), tangent_of(tensor))


__all__ = ["UnpackedDualTensor", "check_differentiable", "make_dual", "push_forward", "unpack_dual"]
