"""Attributes by the name that their object has outside: what is bound as ``self.w`` in ``__init__`` is ``net.w`` for the page."""

from __future__ import annotations

from engine.trace.document import Trace
from engine.trace.events import NameBound, NameUnbound

SELF = "self."


def name_from_outside(trace: Trace) -> None:
    """Renames such bindings, in place, so that one tensor has one row among the variables.

    Only where every tensor that the attribute ever means is called so from outside: else a row would be left behind.
    """
    bound: dict[str, list[NameBound]] = {}
    kept = {tensor.label for tensor in trace.tensors}
    for step in trace.steps:
        if isinstance(step, NameBound) and step.name.startswith(SELF):
            bound.setdefault(step.name, []).append(step)
        elif isinstance(step, NameUnbound):
            kept.add(step.name)
    for name, steps in bound.items():
        if name not in kept and all(is_called(trace.tensors[step.tensor].label, name) for step in steps):
            for step in steps:
                step.name = trace.tensors[step.tensor].label


def is_called(label: str, name: str) -> bool:
    """Whether a label is the same attribute of an object that has a name: ``net.fc.w`` for ``self.w``."""
    return label.endswith(f".{name.removeprefix(SELF)}") and not label.startswith(SELF)
