"""What was kept from before and is no copy: another name for the storage that training changes."""

from __future__ import annotations

import ast

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import ran, reached
from engine.trace.diagnosis.flow import arguments, path
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.compared import compared_with_itself
from engine.trace.narration.amounts import number_word
from engine.trace.parts import Span


def no_copies(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: the first of each kind."""
    found = (same_rows(history), compared_with_itself(history), restored_from_itself(history))
    return [answer for answer in found if answer is not None]


# ── gradients collected in a list ────────────────────────────────────────────────────────────────────────────────────


def same_rows(history: History) -> tuple[int, Answer] | None:
    """``rows.append(x.grad)`` turn after turn: all rows are one tensor, joined at last."""
    for tensor, event in history.event.items():
        owner = history.trace.tensors[event.inputs[0]].gradient_of if event.inputs else None
        if (
            event.operator not in ("stack", "cat")
            or len(event.inputs) < 2
            or len(set(event.inputs)) > 1
            or owner is None
        ):
            continue
        label = history.label(owner)
        kept = collected(history)
        if kept is None or event.span is None:
            continue
        whole, given = kept
        return tensor, Answer(
            "aliased",
            f"All {number_word(len(event.inputs))} parts of {history.quoted(event.span)} (line {event.span.line}) are one "
            f"tensor: {history.quoted(whole)} on line {whole.line} puts {label}.grad itself into the list, and what changes "
            "it later changes it there too.",
            f"Keep a copy: `{given}.clone()`.",
            history.made[tensor],
            whole,
        )
    return None


def collected(history: History) -> tuple[Span, str] | None:
    """(the statement, what it keeps) of an ``append`` that is given a gradient."""
    for node in history.nodes:
        match node:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr="append"), args=[ast.Attribute(attr="grad") as given])
            ):
                if ran(history, node):
                    return history.source.span(node), ast.unparse(given)
            case _:
                pass
    return None


# ── the best weights ─────────────────────────────────────────────────────────────────────────────────────────────────


def restored_from_itself(history: History) -> tuple[int, Answer] | None:
    """``best = net.state_dict()``, updates, ``net.load_state_dict(best)``: the best weights moved along."""
    for node in history.nodes:
        match node:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if ran(history, node):
                model = state_of(value)
            case _:
                continue
        if model is None:
            continue
        span = history.source.span(node)
        kept = reached(history, span)
        for call in history.nodes:
            match call:
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=owner, attr="load_state_dict"), args=[given, *_])
                ) if same_object(history, node, owner, model) and kept_there(target, given) and ran(history, call):
                    restored = reached(history, history.source.span(call))
                case _:
                    continue
            moved = [index for index, step in history.steps if kept < index < restored and step.changes]
            if not moved:
                continue
            place = history.source.span(call)
            return history.trace.steps[moved[0]].changes[0].tensor, Answer(  # type: ignore[union-attr]
                "aliased",
                f"`{path(target)}` is no copy of the weights: `state_dict()` on line {span.line} gives the tensors themselves, so "
                f"{history.quoted(history.trace.steps[moved[0]].span)} on {history.line_of(moved[0])} changed it as well, "
                f"and {history.quoted(place)} on line {place.line} brings nothing back.",
                f"Keep a copy: `{path(target)} = {{key: value.clone() for key, value in {model}.state_dict().items()}}`.",
                kept,
                span,
            )
    return None


def kept_there(target: ast.expr, given: ast.expr) -> bool:
    """Whether two pieces of source mean the same: an attribute goes by its own name, whatever its object is called there."""
    if isinstance(target, ast.Attribute) and isinstance(given, ast.Attribute):
        return target.attr == given.attr
    return path(target) == path(given)


def same_object(history: History, kept: ast.AST, owner: ast.expr, model: str) -> bool:
    """Whether a model whose state is restored is the one whose state was kept, perhaps as a function's argument."""
    if path(owner) == model:
        return True
    function = history.flow.owner.get(kept)
    return isinstance(function, ast.FunctionDef) and model in {argument.arg for argument in arguments(function)}


def state_of(value: ast.expr) -> str | None:
    """The model whose state an expression gives without copying the tensors: ``net.state_dict()``, ``dict(…)`` of it."""
    match value:
        case ast.Call(func=ast.Attribute(value=owner, attr="state_dict"), args=[]):
            return path(owner) or None
        case ast.Call(func=ast.Attribute(value=inner, attr="copy"), args=[]):
            return state_of(inner)
        case ast.Call(func=ast.Name(id="dict") | ast.Attribute(attr="copy"), args=[inner]):
            return state_of(inner)
        case _:
            return None
