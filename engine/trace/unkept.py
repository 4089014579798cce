"""What happens while no steps are kept: the leaves are watched from afar, and one step tells what has changed.

A training loop soon spends the budget of steps, and what matters may come long after: its numbers stop being finite, or it
raises. So the turns of loops are watched, which costs a look at each leaf, and a run in which that happened is played again
(`engine.trace.play`) with steps kept from the turn in which it happened.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.autograd.task import numbers
from engine.ops.meta.arrays import MetaArray
from engine.trace.events import Standing, StepsLeftOut
from engine.trace.registry import Registry

MOST_WATCHED = 256
"""Leaves that are looked at each turn."""


class Unkept:
    """The stretch of a run that is not kept. Statements are counted from the run's beginning."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.began: int | None = None
        """The statement at which the steps' budget was found spent."""
        self.broke: int | None = None
        """The first statement of the turn that every leaf began with finite numbers, and not all ended with such."""
        self.turned: int | None = None
        """The first statement of the last turn."""
        self._sound = 0
        self._leaves: list[Any] = []
        self._before: dict[int, Any] = {}
        self._passes = 0

    def begin(self, statement: int) -> None:
        """From now on nothing is kept."""
        self.began = self._sound = statement
        self._passes = next(numbers)
        self._before = {index: stamp(tensor) for index, tensor in self.registry.living()}
        leaves = [tensor for _, tensor in self.registry.living() if tensor._requires_grad and tensor._node is None]
        self._leaves = leaves[:MOST_WATCHED] if all(map(is_sound, leaves)) else []

    def turn(self, statement: int) -> None:
        """A loop begins another turn: looks at the leaves."""
        self.turned = statement + 1
        if self.broke is None and self._leaves:
            if all(map(is_sound, self._leaves)):
                self._sound = statement
            else:
                self.broke = self._sound + 1

    def end(self, statement: int, scope: int) -> StepsLeftOut:
        """What the stretch came to, told in the scope of the last step before it. The next one may begin."""
        registry = self.registry
        registry.forget_values()
        standings = [
            Standing(index, registry.value(tensor), version_of(tensor), registry.optional(tensor._grad))
            for index, tensor in registry.living()
            if registry.tape.tensors[index].role != "gradient"
            and (tensor._grad is not None or self._before.get(index) != stamp(tensor))
        ]
        began, self.began, self._leaves = self.began or 0, None, []
        passes = next(numbers) - self._passes - 1
        return StepsLeftOut(
            scope=scope,
            statements=statement - began,
            passes=passes,
            output=registry.tape.untold_output(),
            standings=standings,
            grad_enabled=modes.grad_enabled,
            inference=modes.inference,
        )


def version_of(tensor: Any) -> int:
    """How often its storage was written to."""
    return 0 if tensor._counter is None else int(tensor._counter.value)


def stamp(tensor: Any) -> tuple[Any, ...]:
    """Differs once the tensor holds something else, or its ``.grad`` came or went."""
    return version_of(tensor), id(tensor._array), tensor._grad is None


def is_sound(leaf: Any) -> bool:
    """Whether its numbers and those of its ``.grad`` are finite."""
    return is_finite(leaf._array) and (leaf._grad is None or is_finite(leaf._grad._array))


def is_finite(array: Any) -> bool:
    """Whether every element is; the sum is asked first, since it is quicker and finite only if they all are."""
    if type(array) is MetaArray:
        return True  # nothing is wrong with what is not there
    stored = array if isinstance(array, np.ndarray | np.generic) else array.values  # of a sparse tensor
    return bool(np.isfinite(stored.sum()) or np.isfinite(stored).all())
