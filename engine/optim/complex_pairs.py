"""Complex parameters in the optimizers: as PyTorch has it, a complex number is a pair of real ones, each with averages of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


def pairs(tensor: Tensor) -> Tensor:
    """A view of a complex tensor as real numbers of shape (…, 2); a real tensor as it is."""
    seen: Tensor = TABLES["torch"]["view_as_real"](tensor) if tensor.dtype.is_complex else tensor
    return seen


def update_pairs(
    update: Callable[[Tensor, Tensor, Any], None], states: dict[Any, Any], param: Tensor, grad: Tensor, group: Any
) -> None:
    """One step of one complex parameter; its state stays complex between steps.

    Args:
        update: the algorithm on real numbers, `Optimizer._update`.
        states: the optimizer's state by parameter.
    """
    seen = pairs(param)
    if states.get(param):
        states[seen] = {
            name: pairs(value) if isinstance(value, Tensor) else value for name, value in states[param].items()
        }
    try:
        update(seen, pairs(grad), group)
    finally:
        if seen in states:
            states[param] = {name: joined(value, seen) for name, value in states.pop(seen).items()}


def joined(value: Any, seen: Tensor) -> Any:
    """What an update keeps for each pair, as complex numbers; the rest, such as the count of steps, as it is."""
    if not isinstance(value, Tensor) or value.shape != seen.shape:
        return value
    return TABLES["torch"]["view_as_complex"](value)
