"""Parentheses that are missing behind a method, or stand behind what is no function."""

from __future__ import annotations

import ast
import re

from engine.trace.diagnosis.answer import Answer, Found
from engine.trace.diagnosis.errors.python_calls.failing import instead, last_assigned
from engine.trace.diagnosis.history import History
from engine.trace.state import State

METHOD = r"(?:builtin_function_or_method|method)"


def on_the_line(history: History) -> list[ast.AST]:
    """Everything that begins on the failing line."""
    span = history.trace.outcome.span
    return [n for n in history.nodes if span is not None and getattr(n, "lineno", None) == span.line]


def uncalled(history: History, state: State) -> Found:
    """A method itself where what it gives is wanted: ``x.size[0]``, ``loss = x.mean`` … ``loss.backward()``."""
    message = history.trace.outcome.message
    asked = re.search(rf"'{METHOD}' object has no attribute '(\w+)'", message)
    key: ast.expr | None
    for node in on_the_line(history):
        match node:
            case ast.Subscript(value=value, slice=key) if "not subscriptable" in message:
                found = method_itself(history, value)
            case ast.Attribute(value=value, attr=attr) if asked is not None and attr == asked[1]:
                found, key = method_itself(history, value), None
            case ast.BinOp(left=left, right=right) if "operand type" in message:
                found, key = method_itself(history, left) or method_itself(history, right), None
            case _:
                continue
        if found is not None:
            return None, answer(history, node, found, key)
    return None


def method_itself(history: History, value: ast.expr) -> ast.Attribute | None:
    """The attribute that is a method: as it is written there, or where a variable was given it."""
    if isinstance(value, ast.Name):
        bound = last_assigned(history, value.id, value.lineno)
        return bound.value if bound is not None and isinstance(bound.value, ast.Attribute) else None
    return value if isinstance(value, ast.Attribute) else None


def answer(history: History, node: ast.AST, method: ast.Attribute, key: ast.expr | None) -> Answer:
    """Which method, and the call that is meant."""
    span = history.source.span(method)
    text = f"{history.quoted(span)} on line {span.line} is a method that is not called: the parentheses are missing."
    fix = instead(history, span, f"{history.text(span)}()")
    if method.attr == "size" and key is not None and isinstance(node, ast.Subscript):
        whole = history.source.span(node)
        fix = instead(history, whole, f"{history.text(span)}({ast.unparse(key)})")
    return Answer("error", text, fix, history.last, history.trace.outcome.span)


def no_function(history: History, state: State) -> Found:
    """Parentheses behind a tensor or its shape."""
    kind = re.search(r"'(torch\.Size|Tensor|Parameter)' object is not callable", history.trace.outcome.message)
    span = history.trace.outcome.span
    calls = (n for n in history.nodes if isinstance(n, ast.Call) and history.source.span(n) == span)
    call = next(calls, None)
    if kind is None or call is None or span is None:
        return None
    func = history.source.span(call.func)
    name = history.quoted(func)
    if kind[1] == "torch.Size":
        text = f"{name} holds the lengths themselves and is no function."
        index = f"[{ast.unparse(call.args[0])}]" if len(call.args) == 1 else ""
        return None, Answer("error", text, instead(history, span, f"{history.text(func)}{index}"), history.last, span)
    tensor = history.named(ast.unparse(call.func))
    made = history.trace.tensors[tensor].span if tensor is not None else None
    if isinstance(call.func, ast.Name):
        text = f"{name} is a tensor here, not a function."
        fix = f"Give the tensor another name than what is called, {name}."
        if made is not None and made.line:
            text = f"{name} is a tensor since line {made.line}, not a function."
        return tensor, Answer("error", text, fix, history.last, span)
    text = f"{name} is a tensor, not a function."
    fix = instead(history, span, history.text(func)) if not call.args else ""
    return tensor, Answer("error", text, fix or f"Leave the parentheses behind {name} out.", history.last, span)
