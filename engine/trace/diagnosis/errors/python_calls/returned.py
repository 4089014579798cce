"""Something is asked of what a function of the snippet returned, and it returned nothing, or several things at once."""

from __future__ import annotations

import ast
import re

from engine.trace.diagnosis.answer import Answer, Found
from engine.trace.diagnosis.errors.python_calls.failing import class_of, function_of, given_last, instead
from engine.trace.diagnosis.errors.python_calls.unpacking import RECURRENT, returned_parts
from engine.trace.diagnosis.flow import Function
from engine.trace.diagnosis.history import History
from engine.trace.marks import code
from engine.trace.narration.amounts import counted
from engine.trace.state import State

ASKED = re.compile(r"'(tuple|NoneType)' object has no attribute '(\w+)'")
OPERAND = re.compile(r"unsupported operand type\(s\) for .+: .*'(tuple|NoneType)'")


def of_another_kind(history: History, state: State) -> Found:
    """Where the value comes from: the call that gave it, and the ``return`` behind it."""
    message = history.trace.outcome.message
    asked = ASKED.search(message) or OPERAND.search(message)
    if asked is None:
        return None
    for value in candidates(history, asked[2] if asked.re is ASKED else ""):
        call = value if isinstance(value, ast.Call) else given_last(history, value)
        if not isinstance(call, ast.Call):
            continue
        function = function_of(history, call)
        if asked[1] == "NoneType" and function is not None and nothing_returned(function):
            return None, nothing(history, value, call, function)
        if asked[1] == "tuple":
            found = several(history, value, call)
            if found is not None:
                return None, found
    return None


def candidates(history: History, attribute: str) -> list[ast.expr]:
    """The expressions on the failing line that the attribute is asked of; the operands, where there is none."""
    span = history.trace.outcome.span
    found: list[ast.expr] = []
    for node in history.nodes:
        if span is None or getattr(node, "lineno", None) != span.line:
            continue
        if attribute and isinstance(node, ast.Attribute) and node.attr == attribute:
            found.append(node.value)
        elif not attribute and isinstance(node, ast.BinOp):
            found += [node.left, node.right]
    return found


def nothing_returned(function: Function) -> bool:
    """Whether no ``return`` of a function hands anything back."""
    return not any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function))


def nothing(history: History, value: ast.expr, call: ast.Call, function: Function) -> Answer:
    """A function that computes and hands nothing back."""
    name = history.quoted(history.source.span(value))
    ran = f"{history.quoted(history.source.span(call))} on line {call.lineno}, " if call is not value else ""
    text = f"{name} is None: {ran}{code(function.name)} (line {function.lineno}) has no `return`, so what it computes is lost."
    last = function.body[-1]
    fix = "Return what it computes."
    match last:
        case ast.Assign(targets=[ast.Name(id=result)]) | ast.AugAssign(target=ast.Name(id=result)):
            fix = f"Insert `return {result}` behind line {last.end_lineno}."
        case ast.Expr(value=ast.Call() as result):
            fix = (
                instead(history, history.source.span(result), f"return {history.text(history.source.span(result))}")
                or fix
            )
        case _:
            pass
    return Answer("error", text, fix, history.last, history.trace.outcome.span)


def several(history: History, value: ast.expr, call: ast.Call) -> Answer | None:
    """A function, or a recurrent layer, that hands back several things at once."""
    given = history.quoted(history.source.span(call))
    parts, kind = returned_parts(history, call), class_of(history, ast.unparse(call.func))
    if parts is not None:
        where = history.source.span(parts)
        returns = f"{given} returns {history.quoted(where)} (line {where.line}), a tuple of {counted(len(parts.elts), 'part')}"
    elif kind in RECURRENT:
        returns = f"{given} returns a tuple of two parts, all outputs and the last state"
    else:
        return None
    span = history.source.span(value)
    asked = ASKED.search(history.trace.outcome.message)
    wanted = f"{code('.' + asked[2])} is asked of all of it" if asked else "a tensor is wanted here"
    text = f"{returns}, and {wanted}."
    fix = instead(history, span, f"{history.text(span)}[0]")
    return Answer(
        "error", text, fix or "Take the part you mean, `[0]` for the first.", history.last, history.trace.outcome.span
    )
