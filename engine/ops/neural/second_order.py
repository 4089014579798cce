"""Second derivatives of fused operators: by running the computation again in small operators, or refused as PyTorch does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from engine.autograd.backward import grad
from engine.tensor import Tensor


def replayed(function: Callable[..., Sequence[Tensor]], inputs: Sequence[Tensor], grads: Sequence[Any]) -> list[Any]:
    """Gradients of ``inputs`` that have a graph of their own.

    Args:
        function: the same computation, in recorded operators; gives one tensor per entry of ``grads``.
        inputs: tensors in the graph; those that need no gradient get None.
        grads: gradients of the outputs, None where none arrived.
    """
    arrived = [(o, g) for o, g in zip(function(*inputs), grads, strict=True) if g is not None and o.requires_grad]
    wanted = [tensor for tensor in inputs if tensor.requires_grad]
    outputs, gradients = [o for o, _ in arrived], [g for _, g in arrived]
    found = iter(grad(outputs, wanted, gradients, create_graph=True, materialize_grads=True) if arrived else ())
    return [next(found, None) if tensor.requires_grad else None for tensor in inputs]


def refused(name: str) -> NoReturn:
    """Raises:
    RuntimeError: PyTorch has no second derivative here either.
    """
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


def missing(name: str) -> NoReturn:
    """Raises:
    NotImplementedError: PyTorch has no second derivative here either, and says so in other words.
    """
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")
