"""Updates that are computed into a new tensor and leave the parameter as it was: ``for p in params: p = p - lr * p.grad``."""

from __future__ import annotations

import ast

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.parts import Span

UPDATING = frozenset({"add", "sub"})


def updates_lost(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: the first result of a leaf and its gradient that nothing used, where the leaf never changed."""
    if history.steps or history.trace.outcome.status != "ok":
        return []
    for tensor, event in history.event.items():
        if event.operator not in UPDATING or event.requires_grad or history.users[tensor] or not event.inputs:
            continue
        leaf = next((leaf for leaf in history.ancestors(tensor) if len(history.stored[leaf]) > 1), None)
        if leaf is None or history.written[leaf] or not uses_gradient(history, tensor, leaf):
            continue
        found = instead(history, event.span)
        if found is not None:
            whole, fix = found
            return [
                (
                    leaf,
                    Answer(
                        "lost_update",
                        f"{history.quoted(whole)} on line {whole.line} computes a new tensor and leaves {history.label(leaf)} as "
                        "it was: nothing uses what it computes.",
                        f"Write into the parameter: `{fix}`.",
                        history.made[tensor],
                        whole,
                    ),
                )
            ]
    return []


def uses_gradient(history: History, tensor: int, leaf: int) -> bool:
    """Whether a tensor was computed from the gradient of a leaf."""
    return any(history.trace.tensors[other].gradient_of == leaf for other in history.ancestors(tensor))


def instead(history: History, span: Span | None) -> tuple[Span, str] | None:
    """(the statement, the one that writes in place) for ``p = p - lr * p.grad`` and for ``p.sub(lr * p.grad)``."""
    for node in history.nodes:
        if span is None or getattr(node, "lineno", None) != span.line:
            continue
        match node:
            case ast.Assign(
                targets=[ast.Name() as target],
                value=ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operator, right=right),
            ) if ast.unparse(left).removesuffix(".data") == target.id:
                sign = "+=" if isinstance(operator, ast.Add) else "-="
                return history.source.span(node), f"{ast.unparse(left)} {sign} {ast.unparse(right)}"
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=owner, attr="add" | "sub" as name), args=args, keywords=words)
            ):
                given = ", ".join(
                    [*map(ast.unparse, args), *(f"{word.arg}={ast.unparse(word.value)}" for word in words)]
                )
                return history.source.span(node), f"{ast.unparse(owner)}.{name}_({given})"
            case _:
                pass
    return None
