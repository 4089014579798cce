"""Learning rate schedules out of step: moved on before the optimizer, or per batch where they were planned per epoch."""

from __future__ import annotations

import ast

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import assigned_to, calls_of, ran
from engine.trace.diagnosis.flow import called, path
from engine.trace.diagnosis.history import History
from engine.trace.marks import code
from engine.trace.parts import Span

TOO_SOON = "Detected call of `lr_scheduler.step()` before `optimizer.step()`"
"""How PyTorch's own warning begins."""
PLANNED = {"CosineAnnealingLR": ("T_max", 1)}
"""Schedulers that are told how many moves there will be: the argument's name and its place."""


def out_of_schedule(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: schedulers whose steps do not go with those of their optimizers."""
    found = [answer for answer in (moved_first(history), moved_too_often(history)) if answer is not None]
    held = [change.tensor for _, step in history.steps[:1] for change in step.changes]
    return [(held[0], answer) for answer in found if held]


def moved_first(history: History) -> Answer | None:
    """PyTorch has warned that a scheduler moved on before the optimizer's first step, and the optimizer does step."""
    for index, step in enumerate(history.trace.steps):
        if not isinstance(step, events.Warned) or TOO_SOON not in step.message:
            continue
        update = next((at for at, _ in history.steps if at > index), None)
        if update is None:
            return None
        return Answer(
            "scheduler_first",
            f"{history.quoted(step.span)} on {history.line_of(index)} moves the learning rate on before the optimizer's "
            f"first step on {history.line_of(update)}: the first value of the schedule is never used.",
            "Call the scheduler's step() after the optimizer's.",
            index,
            step.span,
        )
    return None


def moved_too_often(history: History) -> Answer | None:
    """A schedule is as long as the outer loop (``T_max=epochs`` and ``range(epochs)``) and moves on in the inner one."""
    for statement, call in calls_of(history, frozenset(PLANNED)):
        name = assigned_to(history, call)
        keyword, place = PLANNED[called(call.func)]
        given = next((k.value for k in call.keywords if k.arg == keyword), None)
        if given is None and len(call.args) > place:
            given = call.args[place]
        if name is None or given is None or not ran(history, statement):
            continue
        for outer in (node for node in ast.walk(history.tree) if isinstance(node, ast.For)):
            if counted(outer) != ast.unparse(given):
                continue
            for inner in (node for part in outer.body for node in ast.walk(part) if isinstance(node, ast.For)):
                moved = next((part for part in inner.body if moves(part, name)), None)
                turns = 0 if moved is None else reached(history, history.source.span(moved))
                if moved is not None and turns > turns_of(history, outer):
                    span = history.source.span(moved)
                    return Answer(
                        "scheduler_per_batch",
                        f"{code(f'{name}.step()')} on line {span.line} runs for every batch ({turns} times here), but its "
                        f"schedule was planned for {code(ast.unparse(given))} moves, one per turn of the loop on line "
                        f"{outer.lineno}.",
                        "Move it out of the inner loop, or plan for as many moves as there are batches in all.",
                        next(i for i, s in enumerate(history.trace.steps) if s.span == span),
                        span,
                    )
    return None


def counted(loop: ast.For) -> str | None:
    """How many turns a ``for … in range(n)`` (or ``range(1, n + 1)``) has, as it is written."""
    call = loop.iter
    while isinstance(call, ast.Call) and called(call.func) in ("tqdm", "enumerate") and call.args:
        call = call.args[0]
    if not isinstance(call, ast.Call) or called(call.func) not in ("range", "trange") or not call.args:
        return None
    first, last = ast.unparse(call.args[0]), ast.unparse(call.args[-1])
    return last.removesuffix(" + 1") if len(call.args) == 2 and first == "1" else last


def moves(part: ast.stmt, name: str) -> bool:
    """Whether a statement is ``scheduler.step()``."""
    return (
        isinstance(part, ast.Expr)
        and isinstance(part.value, ast.Call)
        and isinstance(part.value.func, ast.Attribute)
        and part.value.func.attr == "step"
        and path(part.value.func.value) == name
    )


def turns_of(history: History, loop: ast.For) -> int:
    """How many turns of a loop there were."""
    header = history.source.header(loop)
    return sum(scope.kind == "loop_turn" and scope.span == header for scope in history.trace.scopes)


def reached(history: History, place: Span) -> int:
    """How often the statement that begins at a place was reached."""
    return sum(
        isinstance(step, events.Line)
        and step.span is not None
        and (step.span.line, step.span.column) == (place.line, place.column)
        for step in history.trace.steps
    )
