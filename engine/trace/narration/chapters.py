"""Chapters: runs of steps that belong together, by phase and by turn of the outermost loop.

Their titles assert something, as sentences do (`engine.trace.claims.chapters` checks it).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Literal

from engine.trace import events
from engine.trace.document import Chapter, Trace
from engine.trace.enclosing import around
from engine.trace.parts import Claim, Span
from engine.trace.turns import turn_number

Phase = Literal["forward", "backward", "optimizer", "other"]
MOST = 200
"""Chapters that a scrubber can show; where there would be more they are longer."""
WHOLE = -1
"""Stands in a key for the place of turns that are one chapter with all that happens in them."""

Key = tuple[Phase, int | None, int]


def divide(trace: Trace) -> None:
    """Fills in ``trace.chapters``, in place."""
    trace.chapters.clear()
    if not trace.steps:
        return
    first, keys = 0, _keys(trace)
    for index in range(1, len(keys) + 1):
        if index == len(keys) or (keys[index] != keys[first] and len(trace.chapters) < MOST):
            trace.chapters.append(_titled(trace, keys[first], first, index - 1))
            first = index


def _keys(trace: Trace) -> list[Key]:
    """Each step's key, coarse enough for the scrubber: calls are told apart, else phases of a turn, else turns."""
    lines = _phase_of_lines(trace, _in_backward(trace))
    keys = [_key(trace, index, lines) for index in range(len(trace.steps))]
    if _changes(keys) >= MOST:
        keys = [(phase, turn, call if phase == "backward" else 0) for phase, turn, call in keys]
    return keys if _changes(keys) < MOST else _by_turns(trace, keys)


def _changes(keys: list[Key]) -> int:
    return sum(one != other for one, other in itertools.pairwise(keys))


def _by_turns(trace: Trace, keys: list[Key]) -> list[Key]:
    """As many turns of the outermost loops to a chapter as leave half of the chapters for what is outside of loops."""
    outer = _outermost_turns(trace)
    loops: dict[tuple[Span | None, int | None], list[int]] = {}
    for turn in dict.fromkeys(turn for turn in outer if turn is not None):
        loops.setdefault((trace.scopes[turn].span, trace.scopes[turn].parent), []).append(turn)
    size = math.ceil(sum(map(len, loops.values())) / (MOST // 2))
    leader = {turn: turns[rank - rank % size] for turns in loops.values() for rank, turn in enumerate(turns)}
    turns_of_steps = [outer[step.scope] for step in trace.steps]
    return [
        key if turn is None else ("other", leader[turn], WHOLE) for key, turn in zip(keys, turns_of_steps, strict=True)
    ]


def _key(trace: Trace, index: int, lines: list[Phase]) -> Key:
    """What decides the chapter: phase, outermost loop turn, and the place inside it.

    The place is the pass that runs or is about to; in the forward phase the outermost function or module call.
    """
    while lines[index] != "forward" and isinstance(trace.steps[index], events.Line) and index + 1 < len(lines):
        index += 1
    turn, call = None, 0
    forward = lines[index] == "forward"
    for scope in around(trace, trace.steps[index].scope):
        kind = trace.scopes[scope].kind
        if kind == "loop_turn":
            turn = scope
        if kind == "backward" or (forward and kind in ("function", "module") and turn is None):
            call = scope
    return lines[index], turn, call


def _in_backward(trace: Trace) -> list[bool]:
    """For each scope, whether it lies inside a backward pass."""
    inside: list[bool] = []
    for row in trace.scopes:
        inside.append(row.kind == "backward" or (row.parent is not None and inside[row.parent]))
    return inside


def _outermost_turns(trace: Trace) -> list[int | None]:
    """For each scope, the turn of the outermost loop around it."""
    turns: list[int | None] = []
    for index, row in enumerate(trace.scopes):
        outer = turns[row.parent] if row.parent is not None else None
        turns.append(outer if outer is not None else index if row.kind == "loop_turn" else None)
    return turns


def _phase_of_lines(trace: Trace, backward: list[bool]) -> list[Phase]:
    """Each step's phase. A line takes the phase of what it does: it opens the chapter, it does not end the last one.

    What the next turn does is not its doing.
    """
    turns = _outermost_turns(trace)
    phases: list[Phase] = []
    for step in trace.steps:
        if backward[step.scope]:
            phases.append("backward")
        elif is_of_training(trace, step):
            phases.append("optimizer")
        else:
            phases.append("forward")
    for index in range(len(phases) - 2, -1, -1):
        step, following = trace.steps[index], trace.steps[index + 1]
        same_turn = turns[step.scope] == turns[following.scope]
        if isinstance(step, events.Line) and phases[index + 1] != "forward" and same_turn:
            phases[index] = phases[index + 1]
    return phases


TRAINING: dict[type[events.Event], str] = {
    events.OptimizerStepped: "Optimizer step",
    events.GradientsClipped: "Gradients clipped",
    events.ScheduleStepped: "Learning rate set",
    events.GradientsZeroed: "Gradients cleared",
    events.ValueWritten: "Gradients changed",
}
"""What is done between passes, the most telling first, and the title of a chapter that does it."""


def is_of_training(trace: Trace, step: events.Step) -> bool:
    """Whether a step is done between passes; a write is where it changes a gradient."""
    if isinstance(step, events.ValueWritten):
        return trace.tensors[step.tensor].gradient_of is not None
    return type(step) in TRAINING


def _titled(trace: Trace, key: Key, first: int, last: int) -> Chapter:
    """The chapter with its title, and what the title asserts."""
    phase, turn, call = key
    if call == WHOLE:
        return _of_turns(trace, first, last)
    title, claims = _subject(trace, key, first, last)
    if turn is not None:
        number = turn_number(trace.scopes[turn].title)
        quoted = phase == "forward" and call  # a function's own name
        inner = _inner_turns(trace, first, last)
        which = ".".join([str(number), *inner])
        title = f"Turn {which}: {title if quoted else title[:1].lower() + title[1:]}"
        inside = [Claim("inner_turns", text=".".join(inner))] if inner else []
        claims = [Claim("turn", number=number), *inside, *claims]
    return Chapter(phase, title, first, last, claims)


def _inner_turns(trace: Trace, first: int, last: int) -> list[str]:
    """The turns of inner loops that a whole chapter lies in, by number, from the outer one."""
    ends = []
    for index in (first, last):
        outwards = [trace.scopes[scope] for scope in around(trace, trace.steps[index].scope)]
        ends.append([row for row in outwards if row.kind == "loop_turn"][::-1][1:])
    shared = itertools.takewhile(lambda pair: pair[0] is pair[1], zip(*ends, strict=False))
    return [str(turn_number(row.title)) for row, _ in shared]


def _of_turns(trace: Trace, first: int, last: int) -> Chapter:
    """Whole turns of a loop, by their numbers."""
    outer = _outermost_turns(trace)
    ends = [outer[trace.steps[index].scope] for index in (first, last)]
    low, high = (turn_number(trace.scopes[turn].title) for turn in ends if turn is not None)
    title = f"Turn {low}" if low == high else f"Turns {low} to {high}"
    return Chapter("other", title, first, last, [Claim("turns", number=low, text=str(high))])


def _subject(trace: Trace, key: Key, first: int, last: int) -> tuple[str, list[Claim]]:
    """What the chapter is about, apart from the turn it happens in."""
    phase, _, call = key
    steps = trace.steps[first : last + 1]
    if phase == "backward" and call:
        return _pass(trace, steps)
    if phase == "optimizer":
        done = {type(step) for step in steps if is_of_training(trace, step)}
        kind = next(kind for kind in TRAINING if kind in done)
        return TRAINING[kind], [Claim("happens", text=str(kind.__struct_config__.tag))]
    if phase == "forward" and call:
        title = trace.scopes[call].title
        return title, [Claim("scope", text=title)]
    numbers = [step.span.line for step in steps if step.span is not None]
    if not numbers:
        if any(isinstance(step, events.StepsLeftOut) for step in steps):
            return "Not kept", [Claim("happens", text="steps_left_out")]
        return "End", [Claim("end")]
    low, high = min(numbers), max(numbers)
    title = f"Line {low}" if low == high else f"Lines {low} to {high}"
    return title, [Claim("lines", number=low, text=str(high))]


def _pass(trace: Trace, steps: Sequence[events.Step]) -> tuple[str, list[Claim]]:
    """A backward pass, by where it starts."""
    started = next((step for step in steps if isinstance(step, events.BackwardStarted)), None)
    if started is None:
        return "Backward", [Claim("in_pass")]
    name = "grad()" if started.function == "grad" else "Backward"
    roots = started.roots if len(started.roots) < 3 else started.roots[:1]
    labels = " and ".join(trace.tensors[root].label for root in roots)
    more = "" if len(roots) == len(started.roots) else f" and {len(started.roots) - 1} more"
    claims = [Claim("pass", tensor=root, text=started.function) for root in roots]
    return f"{name} from {labels}{more}" if labels else name, claims or [Claim("in_pass")]
