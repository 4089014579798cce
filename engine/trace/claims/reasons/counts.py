"""Mentions of how often something happened."""

from __future__ import annotations

import re

from engine.trace import events
from engine.trace.claims.reasons.mention import CODE, NUMBER, says
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason
from engine.trace.enclosing import around
from engine.trace.narration.amounts import number_word, times
from engine.trace.values import spelled


@says(r"(\w+) has changed it (once|twice|\w+ times)(?:, last)? on line (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    changes = [
        step
        for index, step in record.updates
        if index <= reason.first
        and any(change.tensor == reason.tensor and change.before != change.after for change in step.changes)
    ]
    lines = {step.span.line for step in changes if step.span is not None}
    same = {step.optimizer for step in changes} == {found[1]}
    return same and found[2] == times(len(changes)) and int(found[3]) in lines


@says(r"(\w+) backward passes have added to it")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    stored = [step for index, step in record.stored[reason.tensor or 0] if index <= reason.first]
    return any(found[1] == number_word(count) for count in range(2, len(stored) + 1))


@says(r"\((once|twice|\w+ times) here\)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return found[1] == times(len(calls_at(record, reason)))


@says(r"runs for every batch \((\d+) times in (\d+) turns of the loop on line (\d+)\)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """The statement was reached that often, in that many turns of that loop."""
    reached = [step for step in lines_at(record, reason) if isinstance(step, events.Line)]
    turns = {
        turn for step in reached for turn in around(record.trace, step.scope) if is_turn(record, turn, int(found[3]))
    }
    return (len(reached), len(turns)) == (int(found[1]), int(found[2]))


@says(r"runs once per turn of the loop on line (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    turns = [
        turn
        for step in lines_at(record, reason)
        for turn in around(record.trace, step.scope)
        if is_turn(record, turn, int(found[1]))
    ]
    return 0 < len(turns) == len(set(turns))


@says(r"It moves (\w+(?: times)?) in (\d+) updates")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return found[1] == times(len(lines_at(record, reason))) and int(found[2]) <= len(record.updates)


@says(r"the last of its milestones, (\d+), is passed in turn (\d+) already")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """That many moves were made when that turn of the outermost loop around them was over, and not before."""
    chains = [
        [turn for turn in around(record.trace, step.scope) if record.trace.scopes[turn].kind == "loop_turn"]
        for step in lines_at(record, reason)
    ]
    turns = [chain[-1] for chain in chains]
    order = list(dict.fromkeys(turns))
    upto = [sum(turns.count(turn) for turn in order[:number]) for number in range(len(order) + 1)]
    turn = int(found[2])
    return upto[turn - 1] < int(found[1]) <= upto[turn]


@says(rf"the learning rate (?:falls|is cut) from ({NUMBER}) to ({NUMBER})|it would end at ({NUMBER})(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """The optimizer stepped with it."""
    rates = {spelled(float(rate)) for _, step in record.updates if (rate := step.settings.get("lr")) is not None}
    return {rate for rate in found.groups() if rate} <= rates


@says(
    rf"^The gradient (?:shrinks|grows) from ({NUMBER}) at (?:the last (?:turn of )?)?{CODE}(?: \(line (\d+)\))? to ({NUMBER}) at"
)
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """Both are the largest element of a gradient of this pass."""
    sizes = {spelled(size, 2) for size in record.sizes()}
    return {found[1], found[4]} <= sizes and (found[3] is None or record.placed(found[2], int(found[3])))


@says(
    rf"(?:and grows|farther each time): (?:by )?({NUMBER}) (?:became|at first and by) ({NUMBER}) (?:in (\d+) updates|(\d+) updates later)"
)
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """So large were its gradients, or its changes, that many updates apart."""
    sizes = {spelled(size, 3) for size in record.sizes()}
    return {found[1], found[2]} <= sizes and int(found[3] or found[4]) <= max(
        len(record.updates), times_reached(record, reason)
    )


@says(r"With this `lr=([^`]+)`")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """An optimizer stepped with it."""
    rates = (step.settings.get("lr") for _, step in record.updates)
    return found[1] in {f"{rate:g}" for rate in rates if isinstance(rate, float | int)}


@says(rf"{CODE} holds (\d+) (?:losses|results) with the graphs")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return 1 < int(found[2]) <= len(record.trace.nodes)


@says(r"(?:normalises over|looks along) (?:a dimension of length (\d+)|dimension (\d+))")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    shapes = [row.shape for row in record.trace.tensors]
    return any(int(found[1]) in shape if found[1] else len(shape) > int(found[2]) for shape in shapes)


@says(r"every (?:logarithm of a probability is 0|probability is 1)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return any(1 in row.shape for row in record.trace.tensors)


@says(r"get gradients of 0 in every pass")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return all(not any(step.incoming.data or ()) for _, step in record.stored[reason.tensor or 0])


@says(r"\(one version higher\)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return bool(record.updates)


@says(r"Each of the (\d+) batches that were trained on")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return int(found[1]) == sum(isinstance(step, events.BackwardStarted) for step in record.trace.steps)


@says(r"in (\w+) passes|the graphs of (\w+) turns")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    passes = sum(isinstance(step, events.BackwardEnded | events.BackwardStarted) for step in record.trace.steps)
    count = found[1] or found[2]
    return any(count in (str(number), number_word(number)) for number in range(1, passes + 1))


@says(r"^(\w+)(?: times)? a backward pass filled gradients")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    filled = len({step.call for stored in record.stored.values() for _, step in stored})
    return found[0].split(" a backward")[0].lower() == times(filled)


@says(r"The (\w+) units of")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    shape = record.trace.tensors[reason.tensor or 0].shape
    return found[1] in map(number_word, shape)


def lines_at(record: Record, reason: Reason) -> list[events.Line]:
    """Each time that the statement was reached which a reason's columns begin."""
    span = reason.span
    if span is None:
        return []
    start = (span.line, span.column)
    return [
        step
        for step in record.steps_on(span.line)
        if isinstance(step, events.Line) and step.span is not None and (step.span.line, step.span.column) == start
    ]


def times_reached(record: Record, reason: Reason) -> int:
    """How often the line was reached where a reason's columns begin: an update that is written by hand."""
    line = reason.span.line if reason.span is not None else 0
    return sum(isinstance(step, events.Line) for step in record.steps_on(line))


def calls_at(record: Record, reason: Reason) -> set[int]:
    """The calls of a module in which something was made at a reason's columns."""
    rows = (row for row in record.trace.tensors if row.span == reason.span and row.role in ("parameter", "leaf"))
    found = set()
    for row in rows:
        modules = [scope for scope in around(record.trace, row.scope) if record.trace.scopes[scope].kind == "module"]
        found.update(modules[-1:])
    return found


def is_turn(record: Record, scope: int, line: int) -> bool:
    """Whether a scope is a turn of the loop on a line."""
    row = record.trace.scopes[scope]
    return row.kind == "loop_turn" and row.span is not None and row.span.line == line
