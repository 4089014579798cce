"""``module.requires_grad = False``: a plain attribute of the module, which freezes nothing."""

from __future__ import annotations

import ast
import re

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import ran
from engine.trace.diagnosis.flow import path
from engine.trace.diagnosis.history import History
from engine.trace.marks import code
from engine.trace.parts import Span

PARTS = re.compile(r"\.(?:children|modules|named_children|named_modules)\(\)")
"""What goes through a module's layers."""


def flags_of_modules(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: where a module was given the attribute, and a parameter of it that gets gradients all the same."""
    for node in history.nodes:
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=owner, attr="requires_grad")], value=ast.Constant(value=False)
            ) if ran(history, node) and not switched(history, history.source.span(node)):
                tensor = learning(history, owner)
                if tensor is not None:
                    return [(tensor, _answer(history, history.source.span(node), path(owner), tensor))]
            case _:
                pass
    return []


def switched(history: History, span: Span) -> bool:
    """Whether some tensor's flag was changed there."""
    steps = history.trace.steps
    return any(
        isinstance(s, events.RequiresGradChanged) and s.span is not None and s.span.line == span.line for s in steps
    )


def learning(history: History, owner: ast.expr) -> int | None:
    """The first parameter of a module that got gradients; of any, where the module is one of a loop's."""
    name = path(owner)
    looped = any(
        isinstance(node, ast.For) and PARTS.search(ast.unparse(node.iter)) and _binds(node.target, name)
        for node in history.nodes
    )
    for tensor, row in enumerate(history.trace.tensors):
        inside = any(label.startswith((f"{name}.", f"{name}[")) for label in (row.label, *row.names))
        if row.role == "parameter" and history.stored[tensor] and (inside or looped):
            return tensor
    return None


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(target))


def _answer(history: History, span: Span, owner: str, tensor: int) -> Answer:
    return Answer(
        "nothing_frozen",
        f"{history.quoted(span)} on line {span.line} gives the module an attribute that autograd never reads: "
        f"{history.label(tensor)} still requires grad and gets gradients.",
        f"Freeze the module's parameters: {code(f'{owner}.requires_grad_(False)')}.",
        history.last,
        span,
    )
