"""The backward() of a custom function gave back a gradient of another shape than what it is the gradient of."""

from __future__ import annotations

import ast
import re

from engine.trace import events
from engine.trace.diagnosis.answer import Answer, Found
from engine.trace.diagnosis.flow import Function
from engine.trace.diagnosis.history import History
from engine.trace.document import Node
from engine.trace.narration.amounts import ordinal
from engine.trace.state import State

REFUSED = re.compile(
    r"Function (\w+)Backward returned an invalid gradient at index (\d+) - got (\[.*?\]) but expected shape compatible with "
    r"(\[.*?\])"
)


def wrong_shape(history: History, state: State) -> Found:
    """Which part of which ``return``, and whose gradient it is."""
    refused = REFUSED.search(history.trace.outcome.message)
    row = last_run(history)
    if refused is None or row is None:
        return None
    function, index = backward_of(history, refused[1]), int(refused[2])
    parts = returned(function) if function is not None else []
    target = row.edges[index].tensor if index < len(row.edges) else None
    if index >= len(parts) or target is None:
        return None
    span, name = history.source.span(parts[index]), history.label(target)
    return target, Answer(
        "shape_mismatch",
        f"{history.quoted(span)} on line {span.line} is the {ordinal(index + 1)} gradient that `{refused[1]}.backward` "
        f"returns: its shape is {refused[3]}, and {name}, whose gradient it should be, has shape {refused[4]}.",
        f"Return what it asks for there, a gradient of the shape of {name}: add up along the dimensions over which {name} "
        "was stretched.",
        history.last,
        span,
    )


def last_run(history: History) -> Node | None:
    """The node that ran last."""
    ran = (step for step in reversed(history.trace.steps) if isinstance(step, events.NodeRan))
    step = next(ran, None)
    return None if step is None else history.trace.nodes[step.node]


def backward_of(history: History, name: str) -> Function | None:
    """The ``backward`` of a class of the snippet."""
    for node in history.nodes:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "backward"), None)
    return None


def returned(function: Function) -> list[ast.expr]:
    """The parts of what a function hands back, where one ``return`` says them."""
    found = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
    if len(found) != 1:
        return []
    return found[0].elts if isinstance(found[0], ast.Tuple) else found
