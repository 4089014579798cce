"""Hooks without effect: one that returns nothing, so that the old gradient goes on, and one that comes too late."""

from __future__ import annotations

import ast

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import calls_of, ran, reached
from engine.trace.diagnosis.flow import Function, arguments
from engine.trace.diagnosis.history import History


def nothing_handed_on(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: the first hook that gives its gradient a new value by name only."""
    for index, step in enumerate(history.trace.steps):
        if not isinstance(step, events.HookFired) or step.hook != "tensor" or step.after is not None:
            continue
        for function in history.flow.functions.get(step.function, ()):
            name = rebinds(function)
            if name is None:
                continue
            span = history.source.span(function.body[-1])
            on_the_way = step.tensor
            if on_the_way is None and step.node is not None:
                outputs = history.trace.nodes[step.node].outputs
                on_the_way = outputs[0] if outputs else history.trace.nodes[step.node].leaf
            if on_the_way is None:
                continue
            return [
                (
                    on_the_way,
                    Answer(
                        "hook_returns_nothing",
                        f"The hook `{step.function}` (line {function.lineno}) computes a new `{name}` and returns nothing, so the "
                        f"gradient of {history.label(on_the_way)} goes on as it was.",
                        f"Insert `return {name}` behind line {function.body[-1].end_lineno}.",
                        index,
                        span,
                    ),
                )
            ]
    return []


REGISTERING = frozenset({"register_hook", "register_full_backward_hook", "register_post_accumulate_grad_hook"})


def registered_late(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: the first hook on gradients that was registered when all passes were over."""
    passes = [task for task in history.passes if not task.raised]
    fired = any(isinstance(step, events.HookFired) for step in history.trace.steps)
    if not passes or fired or history.trace.folded or history.trace.outcome.status != "ok":
        return []
    for statement, _call in calls_of(history, REGISTERING):
        span = history.source.span(statement)
        last = reached(history, span)
        if last > passes[-1].end and ran(history, statement):
            tensor = next(t for t, stored in history.stored.items() if stored)
            return [
                (
                    tensor,
                    Answer(
                        "hook_too_late",
                        f"{history.quoted(span)} on line {span.line} registers a hook when the last backward pass "
                        f"({history.line_of(passes[-1].start)}) is over: it never runs.",
                        f"Register it before {history.line_of(passes[-1].start)}.",
                        last,
                        span,
                    ),
                )
            ]
    return []


def rebinds(function: Function) -> str | None:
    """The only parameter of a function that returns nothing, where its last statement gives that another value."""
    names = [argument.arg for argument in arguments(function)]
    returns = any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function))
    if len(names) != 1 or returns:
        return None
    match function.body[-1]:
        case ast.Assign(targets=[ast.Name(id=name)]) if name == names[0]:
            return name
        case _:
            return None
