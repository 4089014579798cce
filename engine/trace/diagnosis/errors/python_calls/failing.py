"""The source at which Python refused: its call, what is called there, and the function of the snippet that runs then."""

from __future__ import annotations

import ast

from engine.trace.diagnosis.flow import Function, called
from engine.trace.diagnosis.history import History
from engine.trace.parts import Span


def failing_call(history: History) -> ast.Call | None:
    """The call that raised."""
    span = history.trace.outcome.span
    calls = (node for node in history.nodes if isinstance(node, ast.Call))
    return next((node for node in calls if history.source.span(node) == span), None)


def last_assigned(history: History, name: str, line: int) -> ast.Assign | None:
    """The last statement above a line that gives a name its value, by itself or among others."""
    found = [
        node
        for node in history.nodes
        if isinstance(node, ast.Assign)
        and node.lineno < line
        and any(ast.unparse(target) == name for target in node.targets)
    ]
    return max(found, key=lambda node: node.lineno, default=None)


def given_last(history: History, variable: ast.expr) -> ast.expr | None:
    """What a variable was given last, above the line that it stands on."""
    bound = last_assigned(history, ast.unparse(variable), variable.lineno)
    return bound.value if bound is not None else None


def class_of(history: History, name: str) -> str:
    """The class of what a name stands for: of a module that was called, or of what the snippet made (``net = Net()``)."""
    bare = name.removeprefix("self.")
    for row in history.trace.scopes:
        title, _, kind = row.title.partition(" (")
        if row.kind == "module" and kind and (title == bare or title.endswith(f".{bare}")):
            return kind.rstrip(")")
    made = (
        node.value
        for node in history.nodes
        if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets) and isinstance(node.value, ast.Call)
    )
    return next((called(value.func) for value in made), "")


def method(history: History, kind: str, name: str) -> Function | None:
    """A method of a class of the snippet."""
    for node in history.nodes:
        if isinstance(node, ast.ClassDef) and node.name == kind:
            return next((part for part in node.body if isinstance(part, Function) and part.name == name), None)
    return None


def function_of(history: History, call: ast.Call) -> Function | None:
    """The snippet's function that a call runs; of a module, its ``forward``."""
    name = called(call.func)
    functions = history.flow.functions.get(name, [])
    if len(functions) == 1 and functions[0].name == name:
        return functions[0]
    kind = class_of(history, ast.unparse(call.func))
    return method(history, kind, "forward") or method(history, kind, "__call__")


def rewritten(history: History, old: Span, part: ast.expr, new: str) -> str:
    """``Write `new` in place of `old` on line 7``, where a part of some columns on one line is written anew; empty elsewhere."""
    span = history.source.span(part)
    if old.line != old.end_line or span.line != old.line or span.end_line != old.line:
        return ""
    text = history.text(old)
    begin, end = span.column - old.column, span.end_column - old.column
    return instead(history, old, text[:begin] + new + text[end:])


def instead(history: History, old: Span, new: str) -> str:
    """The remedy that writes some columns anew; empty where they take more than one line."""
    return f"Write `{new}` in place of {history.quoted(old)} on line {old.line}." if old.line == old.end_line else ""
