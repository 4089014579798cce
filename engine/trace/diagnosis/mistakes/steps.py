"""An optimizer that never steps, and one that steps before there are gradients."""

from __future__ import annotations

import ast

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import OPTIMIZERS, assigned_to, calls_of, last_part, only_named, ran
from engine.trace.diagnosis.flow import called, path
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.places import turns_around
from engine.trace.elements import is_zero
from engine.trace.marks import code
from engine.trace.narration.amounts import times

OTHERS = ("sched", "env")
"""What else has a ``step()``, by a part of its name: schedulers, and the worlds of reinforcement learning."""


def out_of_step(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: passes filled gradients, and no update came after them."""
    found = stepped_first(history) if history.steps else never_stepped(history)
    return [] if found is None else [found]


def never_stepped(history: History) -> tuple[int, Answer] | None:
    """An optimizer is made, passes fill what it holds turn after turn, and its step() is nowhere called."""
    passes = [task for task in history.passes if task.function == "backward" and not task.raised]
    filled = [tensor for tensor, got in history.stored.items() if got and not history.written[tensor]]
    if history.steps or not passes or not filled or history.trace.outcome.status != "ok":
        return None
    names = {
        name
        for statement, call in calls_of(history, OPTIMIZERS)
        if ran(history, statement) and (name := assigned_to(history, call)) is not None
    }
    named = only_named(history, "step")
    if named is not None and last_part(named[0]) in map(last_part, names):
        owner, span = named
        text = (
            f"{code(f'{owner}.step')} on line {span.line} only names the method: without parentheses nothing is called, "
            "so no parameter changes."
        )
        return filled[0], Answer("never_stepped", text, f"Write `{owner}.step()`.", passes[0].end, span)
    if len(names) != 1 or history.gradients_read or not in_turns(history) or steps_elsewhere(history, names):
        return None
    owner, last = names.pop(), passes[-1]
    begun = history.trace.steps[last.start]
    text = (
        f"{times(len(passes)).capitalize()} a backward pass filled gradients ({history.line_of(last.start)}), but "
        f"{code(f'{owner}.step()')} is never called: no parameter changes."
    )
    return filled[0], Answer(
        "never_stepped", text, f"Call `{owner}.step()` after the backward pass.", last.end, begun.span
    )


def in_turns(history: History) -> bool:
    """Whether passes ran in several turns of one loop."""
    loops: dict[object, set[int]] = {}
    for task in history.passes:
        for turn in turns_around(history, history.trace.steps[task.start].scope)[:1]:
            row = history.trace.scopes[turn]
            loops.setdefault((row.span, row.parent), set()).add(turn)
    return any(len(turns) > 1 for turns in loops.values())


def steps_elsewhere(history: History, optimizers: set[str]) -> bool:
    """Whether the source calls a step() that may be an optimizer's, though it did not run, or hands one to a library.

    Where the snippet has a method of that name itself (``trainer.step(x, y)``), only what is an optimizer's by its name.
    """
    own, known = "step" in history.flow.functions, set(map(last_part, optimizers))
    for node in history.nodes:
        if isinstance(node, ast.Call) and called(node.func) == "step" and isinstance(node.func, ast.Attribute):
            owner = last_part(path(node.func.value))
            if not any(part in owner.lower() for part in OTHERS) and (not own or owner in known):
                return True
    return False


def stepped_first(history: History) -> tuple[int, Answer] | None:
    """Every step came before the first pass that it should use, or found the gradients of its turn not made yet."""
    first, step = history.steps[0]
    later = next((task for task in history.passes if task.start > first and task.function == "backward"), None)
    if later is None or history.passes[0].start < first or step.span is None:
        return None
    held = {change.tensor for _, other in history.steps for change in other.changes}
    if any(has_gradient(change) for _, other in history.steps[:1] for change in other.changes) or not any(
        history.stored[tensor] for tensor in held
    ):
        return None
    always = not any(has_gradient(change) for _, other in history.steps for change in other.changes)
    built = any(history.made.get(root, first) < first for root in later.roots)
    if not (built or (always and len(history.steps) > 1)):
        return None
    tensor = next(tensor for tensor in sorted(held) if history.stored[tensor])
    empty = "each time" if always and len(history.steps) > 1 else "there"
    return tensor, Answer(
        "stepped_first",
        f"{history.quoted(step.span)} on line {step.span.line} runs before the backward pass on "
        f"{history.line_of(later.start)}: {empty} it finds no gradients and changes nothing.",
        "Step after the gradients are there: zero_grad(), backward(), step(), in this order.",
        first,
        step.span,
    )


def has_gradient(change: events.ParameterChange) -> bool:
    """Whether a parameter had a gradient to be changed by."""
    return change.gradient is not None and not is_zero(change.gradient)
