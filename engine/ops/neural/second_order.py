"""Second derivatives of fused operators, by running the computation again in small operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.autograd.backward import grad
from engine.autograd.modes import enable_grad, no_grad
from engine.autograd.modes import state as modes
from engine.observe import state as observing
from engine.tensor import wrap


def replayed(
    function: Callable[..., Sequence[Any]], inputs: Sequence[Any], grads: Sequence[Any], recording: bool = True
) -> list[Any]:
    """Gradients of ``inputs`` that have a graph of their own.

    Args:
        function: the same computation, in recorded operators; gives one tensor (or None) per entry of ``grads``.
        inputs: tensors in the graph; those that need no gradient get None.
        grads: gradients of the outputs, None where none arrived.
        recording: whether the gradients get that graph.
    """
    tracked = [tensor is not None and tensor.requires_grad for tensor in inputs]
    # One input may come from another (an incoming gradient from the input itself): each gets a place of its own in the graph.
    given = [
        (tensor.view_as(tensor) if recording else tensor.detach()._tracked()) if needed else tensor
        for tensor, needed in zip(inputs, tracked, strict=True)
    ]
    pairs = zip(function(*given), grads, strict=True)
    arrived = [(o, g) for o, g in pairs if o is not None and g is not None and o.requires_grad]
    wanted = [tensor for tensor, needed in zip(given, tracked, strict=True) if needed]
    outputs, gradients = [o for o, _ in arrived], [g for _, g in arrived]
    found = iter(grad(outputs, wanted, gradients, create_graph=recording, allow_unused=True) if arrived else ())
    return [next(found, None) if needed else None for needed in tracked]


def derived_again(function: Callable[..., Sequence[Any]], inputs: Sequence[Any], grads: Sequence[Any]) -> list[Any]:
    """Gradients through a backward kernel, by running it in operators; ``function``, ``inputs``, ``grads`` as for `replayed`."""
    recording = modes.grad_enabled
    with enable_grad():
        return replayed(function, inputs, grads, recording)


def in_operators(function: Callable[..., Sequence[Any]], *arguments: Any) -> tuple[Any, ...]:
    """What a derivative written for tensors gives for arrays, unseen: a kernel whose mathematics is written in operators.

    What it leaves out becomes an empty array.
    """
    with observing.silent(), no_grad():
        given = [wrap(a) if isinstance(a, np.ndarray | np.generic) else a for a in arguments]
        return tuple(np.zeros(0) if made is None else made._array for made in function(*given))
