"""Why no backward pass has run: it is not called, only named, or the run went past it."""

from __future__ import annotations

import ast

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import ran
from engine.trace.diagnosis.flow import called
from engine.trace.diagnosis.history import History
from engine.trace.parts import Span


def not_called(history: History, tensor: int, step: int) -> Answer:
    """No pass yet, possibly because the call lacks its parentheses."""
    for node in history.nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute) and node.value.attr == "backward":
            text = ast.unparse(node.value)
            return Answer(
                "backward_not_called",
                f"{text} on line {node.lineno} only names the method: without parentheses nothing is called.",
                f"Write {text}().",
                None,
                history.source.span(node),
            )
    label, unreached = history.label(tensor), never_reached(history)
    if unreached is not None:
        return Answer(
            "backward_not_called",
            f"{label} is a leaf, and no backward pass has run yet: {history.quoted(unreached)} on line {unreached.line} is "
            "never reached.",
            f"Look at what keeps line {unreached.line} from being reached.",
            history.made.get(tensor),
            unreached,
        )
    since = "since it was made" if any(task.start <= step for task in history.passes) else "yet"
    return Answer(
        "backward_not_called",
        f"{label} is a leaf, and no backward pass has run {since}: its .grad is None until one reaches it.",
        "Call backward() on the loss.",
        history.made.get(tensor),
        history.trace.tensors[tensor].span,
    )


def never_reached(history: History) -> Span | None:
    """The one call of backward() in the source, where the run went past it."""
    calls = [
        node
        for node in history.nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and called(node.value.func) == "backward"
    ]
    over = history.trace.outcome.status == "ok" and not history.trace.folded and not history.passes
    return history.source.span(calls[0]) if over and len(calls) == 1 and not ran(history, calls[0]) else None
