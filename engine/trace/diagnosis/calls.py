"""Calls as the snippet writes them: which statements ran, which methods are only named, what an optimizer is called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from engine import optim
from engine.trace import events
from engine.trace.diagnosis.flow import called, path
from engine.trace.diagnosis.history import History
from engine.trace.parts import Span

OPTIMIZERS = frozenset(name for name in optim.__all__ if name != "Optimizer")
SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)
"""Statements that hold no others."""


def ran(history: History, node: ast.stmt) -> bool:
    """Whether a statement was reached."""
    span = history.source.span(node)
    return (span.line, span.column) in history.lines


def reached(history: History, place: Span) -> int:
    """The step at which a statement was reached last; -1 where it never was."""
    steps = enumerate(history.trace.steps)
    lines = (i for i, step in steps if isinstance(step, events.Line) and step.span and step.span.line == place.line)
    return max(lines, default=-1)


def calls_of(history: History, names: frozenset[str]) -> Iterator[tuple[ast.stmt, ast.Call]]:
    """(simple statement, call in it) for every call of a function or method of one of these names."""
    for statement in history.nodes:
        if isinstance(statement, SIMPLE):
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and called(node.func) in names:
                    yield statement, node


def only_named(history: History, method: str) -> tuple[str, Span] | None:
    """(what stands before the dot, columns) of a method that a statement names without calling it: ``opt.step``."""
    for node in history.nodes:
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Attribute) or node.value.attr != method:
            continue
        if ran(history, node):
            return path(node.value.value), history.source.span(node.value)
    return None


def assigned_to(history: History, call: ast.Call) -> str | None:
    """The variable (or attribute) that gets what a call returns; None where no single one does."""
    for node in history.nodes:
        match node:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if value is call:
                return path(target)
            case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value) if value is call:
                return path(target)
            case _:
                pass
    return None


def clearing(history: History, tensor: int) -> str:
    """What clears a gradient in this snippet: its own optimizer's ``zero_grad()``, or ``w.grad = None``."""
    name = history.expression(tensor) or "w"
    for _, step in history.steps:
        owner, stepped, _ = history.text(step.span).partition(".step(")
        if stepped and any(change.tensor == tensor for change in step.changes):
            return f"`{owner}.zero_grad()` (or `{name}.grad = None`)"
    others = sum(1 for filled in history.stored.values() if filled) > 1
    return f"`{name}.grad = None`{', and so for the others,' if others else ''}"


def clears(history: History, name: str) -> bool:
    """Whether the snippet clears that gradient somewhere by hand."""
    return re.search(rf"{re.escape(name)}\.grad(\.zero_\(\)|\.data\.zero_\(\)| = None)", history.trace.code) is not None


def last_part(name: str) -> str:
    """``opt`` of ``self.opt``."""
    return name.rpartition(".")[2]
