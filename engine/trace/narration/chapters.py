"""Chapters: runs of steps that belong together, by phase and by turn of the outermost loop."""

from __future__ import annotations

from typing import Literal

from engine.trace import events
from engine.trace.document import Chapter, Trace

Phase = Literal["forward", "backward", "optimizer", "other"]
MOST = 200
"""Chapters that a scrubber can show; beyond it only the first turns are told apart."""


def divide(trace: Trace) -> None:
    """Fills in ``trace.chapters``, in place."""
    trace.chapters.clear()
    if not trace.steps:
        return
    backward = _in_backward(trace)
    lines = _phase_of_lines(trace, backward)
    first, key = 0, _key(trace, 0, lines)
    for index in range(1, len(trace.steps) + 1):
        following = _key(trace, index, lines) if index < len(trace.steps) else None
        if following != key and (following is None or len(trace.chapters) < MOST):
            trace.chapters.append(Chapter(key[0], _title(trace, key, first, index - 1), first, index - 1))
            if following is not None:
                first, key = index, following


Key = tuple[Phase, int | None, int]


def _key(trace: Trace, index: int, lines: list[Phase]) -> Key:
    """What decides the chapter: phase, outermost loop turn, and the place inside it.

    The place is the pass that runs or is about to; in the forward phase the outermost function or module call.
    """
    while lines[index] != "forward" and isinstance(trace.steps[index], events.Line) and index + 1 < len(lines):
        index += 1
    scope = trace.steps[index].scope
    turn, call = None, 0
    forward = lines[index] == "forward"
    while True:
        row = trace.scopes[scope]
        if row.kind == "loop_turn":
            turn = scope
        if row.kind == "backward" or (forward and row.kind in ("function", "module") and turn is None):
            call = scope
        if row.parent is None:
            return lines[index], turn, call
        scope = row.parent


def _in_backward(trace: Trace) -> list[bool]:
    """For each scope, whether it lies inside a backward pass."""
    inside: list[bool] = []
    for row in trace.scopes:
        inside.append(row.kind == "backward" or (row.parent is not None and inside[row.parent]))
    return inside


def _phase_of_lines(trace: Trace, backward: list[bool]) -> list[Phase]:
    """Each step's phase. A line takes the phase of what it does: it opens the chapter, it does not end the last one."""
    phases: list[Phase] = []
    for step in trace.steps:
        if backward[step.scope]:
            phases.append("backward")
        elif isinstance(step, events.OptimizerStepped | events.GradientsZeroed):
            phases.append("optimizer")
        else:
            phases.append("forward")
    for index in range(len(phases) - 2, -1, -1):
        if isinstance(trace.steps[index], events.Line) and phases[index + 1] != "forward":
            phases[index] = phases[index + 1]
    return phases


def _title(trace: Trace, key: Key, first: int, last: int) -> str:
    phase, turn, call = key
    if phase == "backward" and call:
        started = next((s for s in trace.steps[first : last + 1] if isinstance(s, events.BackwardStarted)), None)
        roots = "" if started is None else " and ".join(trace.tensors[root].label for root in started.roots[:2])
        name = "grad()" if started is not None and started.function == "grad" else "Backward"
        title = f"{name} from {roots}" if roots else name
    elif phase == "optimizer":
        stepped = any(isinstance(step, events.OptimizerStepped) for step in trace.steps[first : last + 1])
        title = "Optimizer step" if stepped else "Gradients cleared"
    elif phase == "forward" and call:
        title = trace.scopes[call].title
        return f"Turn {trace.scopes[turn].title.split()[1]}: {title}" if turn is not None else title
    else:
        numbers = [step.span.line for step in trace.steps[first : last + 1] if step.span is not None]
        low, high = (min(numbers), max(numbers)) if numbers else (0, 0)
        title = "End" if not numbers else f"Line {low}" if low == high else f"Lines {low} to {high}"
    if turn is None:
        return title
    words = trace.scopes[turn].title.split()
    return f"Turn {words[1]}: {title[:1].lower()}{title[1:]}" if words[:1] == ["turn"] else title
