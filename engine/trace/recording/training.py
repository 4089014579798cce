"""Optimizer steps: every parameter before and after."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from engine.tensor import Tensor
from engine.trace.events import OptimizerStepped, ParameterChange
from engine.trace.parts import Number, Value
from engine.trace.registry import Registry
from engine.trace.tape import Tape

SETTINGS = ("lr", "momentum", "weight_decay", "betas", "eps", "dampening", "nesterov", "alpha", "maximize", "amsgrad")
"""What is told of an optimizer's settings, where it has them."""


class Training:
    """Compares parameters across an optimizer's ``step()``."""

    def __init__(self, tape: Tape, registry: Registry) -> None:
        self.tape = tape
        self.registry = registry
        self.before: list[tuple[Any, Value, Value | None]] = []

    def stepping(self, optimizer: Any) -> None:
        """Reads every parameter."""
        registry = self.registry
        registry.forget_values()
        self.before = []
        if not self.tape.full:
            for parameter in parameters(optimizer):
                gradient = None if parameter._grad is None else registry.value(parameter._grad)
                self.before.append((parameter, registry.value(parameter), gradient))

    def stepped(self, optimizer: Any) -> OptimizerStepped:
        """Reads them again; the step tells the difference."""
        registry = self.registry
        registry.forget_values()
        changes = [
            ParameterChange(registry.tensor(parameter), before, registry.value(parameter), gradient)
            for parameter, before, gradient in self.before
        ]
        return OptimizerStepped(optimizer=type(optimizer).__name__, settings=settings(optimizer), changes=changes)


def parameters(optimizer: Any) -> Iterator[Any]:
    """Its parameters in group order."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if isinstance(parameter, Tensor):
                yield parameter


def settings(optimizer: Any) -> dict[str, Number | bool | None]:
    """The first group's settings, as JSON can spell them; pairs are numbered (``beta1``)."""
    found: dict[str, Number | bool | None] = {}
    group = optimizer.param_groups[0] if optimizer.param_groups else {}
    for name in SETTINGS:
        value = group.get(name)
        if isinstance(value, tuple):
            found.update({f"{name.rstrip('s')}{i}": part for i, part in enumerate(value, 1) if isinstance(part, float)})
        elif isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
            found[name] = value
    return found
