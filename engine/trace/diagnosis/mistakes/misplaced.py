"""Statements of a training loop at the wrong depth: an optimizer made anew in every turn, a backward() behind the inner loop."""

from __future__ import annotations

import ast

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import OPTIMIZERS, calls_of, ran
from engine.trace.diagnosis.flow import called, path
from engine.trace.diagnosis.history import History
from engine.trace.narration.amounts import times

OFTEN = 3
"""Updates, each by an optimizer of its own, that make a habit of it."""


def wrong_depth(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: the first of each kind."""
    if history.trace.folded or history.trace.outcome.status != "ok" or not history.steps:
        return []
    return [answer for answer in (made_anew(history), behind_the_loop(history)) if answer is not None]


def made_anew(history: History) -> tuple[int, Answer] | None:
    """An optimizer with a memory (Adam, momentum) that is made for every update: it never remembers anything."""
    steps = [step for _, step in history.steps]
    held = {tuple(change.tensor for change in step.changes) for step in steps}
    remembers = steps[0].optimizer != "SGD" or bool(steps[0].settings.get("momentum"))
    makers = [statement for statement, _ in calls_of(history, OPTIMIZERS) if ran(history, statement)]
    if len(steps) < OFTEN or len(held) > 1 or len(makers) != 1 or not remembers or steps[0].optimizer == "LBFGS":
        return None
    span = history.source.span(makers[0])
    lines = (step.span for step in history.trace.steps if isinstance(step, events.Line) and step.span is not None)
    made = sum((line.line, line.column) == (span.line, span.column) for line in lines)
    if made != len(steps):
        return None
    return steps[0].changes[0].tensor, Answer(
        "optimizer_remade",
        f"{history.quoted(span)} on line {span.line} makes a new {steps[0].optimizer} {times(made)}, once for every update: what "
        "it should remember of earlier gradients is lost each time.",
        "Make it once, before the loop, and hand it to what needs it.",
        history.steps[0][0],
        span,
    )


def behind_the_loop(history: History) -> tuple[int, Answer] | None:
    """``backward()`` behind the loop that computes the losses and clears gradients in every turn: the last loss alone counts."""
    for outer in history.nodes:
        if not isinstance(outer, ast.For | ast.While):
            continue
        for place, inner in enumerate(outer.body):
            if not isinstance(inner, ast.For) or method_of(inner, "backward") or not method_of(inner, "zero_grad"):
                continue
            assigned = {
                path(target): node
                for node in ast.walk(inner)
                if isinstance(node, ast.Assign)
                for target in node.targets
                if isinstance(target, ast.Name)
            }
            for later in outer.body[place + 1 :]:
                match later:
                    case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="backward"))):
                        loss = assigned.get(name)
                    case _:
                        continue
                if loss is None or not ran(history, later):
                    continue
                span, made = history.source.span(later), history.source.span(loss)
                return history.steps[0][1].changes[0].tensor, Answer(
                    "batches_left_out",
                    f"{history.quoted(span)} on line {span.line} runs behind the loop on line {inner.lineno}: of the losses that "
                    f"{history.quoted(made)} (line {made.line}) computes there, the last one alone counts.",
                    f"Move {history.quoted(span)} and what follows it into the loop on line {inner.lineno}.",
                    history.steps[0][0],
                    span,
                )
    return None


def method_of(loop: ast.For, name: str) -> bool:
    """Whether a method of that name is called in a loop."""
    return any(isinstance(node, ast.Call) and called(node.func) == name for node in ast.walk(loop))
