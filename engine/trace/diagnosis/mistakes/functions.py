"""A function with a backward() of its own that leaves the incoming gradient out: the chain rule ends there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.flow import called
from engine.trace.diagnosis.history import History
from engine.trace.elements import sample
from engine.trace.narration.amounts import aside


def incoming_left_out(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: the first such function that got something else than ones."""
    for name, function, incoming in own_backwards(history):
        returned = function.body[-1]
        if not isinstance(returned, ast.Return) or returned.value is None or is_constant(returned.value):
            continue
        for index, step in enumerate(history.trace.steps):
            if not isinstance(step, events.NodeRan) or history.trace.nodes[step.node].name != f"{name}Backward":
                continue
            got = step.gradients[0] if step.gradients else None
            output = history.trace.nodes[step.node].outputs
            if got is None or not output or all(element == 1 for element in sample(got)):
                continue
            span = history.source.span(returned)
            fix = f"return {incoming} * ({ast.unparse(returned.value)})"
            return [
                (
                    output[0],
                    Answer(
                        "chain_left_out",
                        f"`{name}.backward` (line {function.lineno}) never uses `{incoming}`, which holds what comes from behind "
                        f"it, {aside(got)} here: {history.quoted(span)} on line {span.line} goes on as if that were 1, so all "
                        "gradients before it are wrong.",
                        f"Multiply by it: `{fix}`."
                        if not isinstance(returned.value, ast.Tuple)
                        else f"Multiply what it returns by `{incoming}`.",
                        index,
                        span,
                    ),
                )
            ]
    return []


def own_backwards(history: History) -> Iterator[tuple[str, ast.FunctionDef, str]]:
    """(class, its backward(), the name of the incoming gradient) where one gradient comes in and the body never uses it."""
    for node in history.nodes:
        if not isinstance(node, ast.ClassDef) or not any(called(base) == "Function" for base in node.bases):
            continue
        for function in node.body:
            if not isinstance(function, ast.FunctionDef) or function.name != "backward":
                continue
            names = [argument.arg for argument in function.args.args]
            used = {inner.id for part in function.body for inner in ast.walk(part) if isinstance(inner, ast.Name)}
            if len(names) == 2 and function.args.vararg is None and names[1] not in used:
                yield node.name, function, names[1]


def is_constant(value: ast.expr) -> bool:
    """Whether what is returned depends on nothing that was kept: it blocks the gradient on purpose."""
    return not any(isinstance(node, ast.Name | ast.Attribute) for node in ast.walk(value)) or any(
        isinstance(node, ast.Call) and called(node.func) in ("zeros", "zeros_like") for node in ast.walk(value)
    )
