"""Hooks that make a gradient 0 on its way to a leaf."""

from __future__ import annotations

import ast

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.elements import is_zero
from engine.trace.parts import Span


def made_zero_by_hook(history: History, tensor: int, stored: events.GradientStored, step: int) -> Answer | None:
    """The answer where a hook was given something else than zeros, in the pass that stored them, and handed zeros on."""
    on_the_way = set(history.recorded_descendants(tensor))
    start = next(task.start for task in reversed(history.passes) if task.call == stored.call)
    for index in range(start, step):
        fired = history.trace.steps[index]
        if not isinstance(fired, events.HookFired) or fired.before is None or fired.after is None:
            continue
        whose = {fired.tensor} if fired.node is None else set(history.trace.nodes[fired.node].outputs)
        if is_zero(fired.after) and not is_zero(fired.before) and (whose & on_the_way or fired.node == stored.node):
            place = returned_by(history, fired.function) or fired.span
            line = "" if place is None else f" on line {place.line}"
            return Answer(
                "zero_gradient",
                f"{history.label(tensor)}.grad is 0, not None: a gradient came, and the hook `{fired.function}`{line} "
                "gave back zeros in its place.",
                f"Return what it should pass on from `{fired.function}`, or leave the hook out.",
                index,
                place,
            )
    return None


def returned_by(history: History, function: str) -> Span | None:
    """The columns of the one ``return`` of a function of the snippet."""
    for node in history.nodes:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            found = [part for part in ast.walk(node) if isinstance(part, ast.Return)]
            return history.source.span(found[0]) if len(found) == 1 else None
    return None
