"""Where what a node saved, or what a gradient was computed from, first became NaN or infinite: perhaps passes ago."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.tensors.traps import SAVED
from engine.trace.document import Node
from engine.trace.parts import Value


def explained(history: History, row: Node, answer: Answer, origins: dict[int, Answer]) -> Answer:
    """The answer for a gradient that its node's saved tensors spoil, with what spoilt those in place of ``SAVED``.

    Args:
        row: the node that sent the gradient on.
        answer: what is known without looking farther than the node.
        origins: the answers for tensors that were made not finite out of finite ones.
    """
    if answer.fix != SAVED.fix or answer.step is None:
        return answer
    saved = (entry.tensor for entry in row.saved if entry.tensor is not None)
    behind = list(dict.fromkeys(other for tensor in saved for other in history.ancestors(tensor)))
    made = first_made(behind, origins)
    if made is not None:
        told = f"{answer.text} {made.text}" if made.cause == "nan" else answer.text
        word = "NaN" if made.cause == "nan" else "infinite"
        fix = f"Mend what is {word} first, on {history.line_of(made.step)}: {made.fix[:1].lower()}{made.fix[1:]}"
        return dataclasses.replace(answer, text=told, fix=fix, span=made.span)
    given = given_nan(history, behind) if answer.cause == "gradient_nan" else None
    if given is not None:
        return dataclasses.replace(answer, text=f"{answer.text} {given.text}", fix=given.fix, span=given.span)
    return updated(history, behind, answer) or answer


def first_made(behind: Iterable[int], origins: dict[int, Answer]) -> Answer | None:
    """What made the first number that is not finite among the ancestors of a tensor; before a NaN, what was infinite."""
    found = [origins[other] for other in behind if other in origins and origins[other].fix]
    return next((answer for answer in found if answer.cause == "infinite"), next(iter(found), None))


def given_nan(history: History, behind: Iterable[int]) -> Answer | None:
    """The answer for the first tensor among some that was made with NaN in it: data that came so."""
    for tensor in behind:
        event = history.event.get(tensor)
        if event is not None and event.how == "created" and event.value.nan:
            made = history.made.get(tensor)
            return Answer(
                "nan",
                f"{history.label(tensor)} was created with NaN, on {history.line_of(made)}.",
                "Look at the data: what is missing there has to be filled in or left out before it is computed with.",
                made,
                event.span,
            )
    return None


def updated(history: History, behind: Iterable[int], answer: Answer) -> Answer | None:
    """The answer of the pass whose bad gradient an update carried into a leaf, and so into everything after it."""
    for leaf in behind:
        at = spoilt_at(history, leaf, answer.step or 0)
        if at is None:
            continue
        span = history.trace.steps[at].span
        after = set(history.recorded_descendants(leaf))
        starts = {task.call: task.start for task in history.passes}
        for call, receiver, earlier in history.bad_messages:
            if receiver in after and starts.get(call, at) < at:
                return dataclasses.replace(
                    earlier,
                    text=f"{history.label(leaf)} is not finite itself since {history.quoted(span)} on "
                    f"{history.line_of(at)}, which used a gradient that was not. {earlier.text}",
                )
    return None


def spoilt_at(history: History, tensor: int, before: int) -> int | None:
    """The first step before another that wrote numbers into a tensor which are not finite."""
    written = [(index, write.value) for index, write in history.written[tensor]]
    for index, step in history.steps:
        written += [(index, change.after) for change in step.changes if change.tensor == tensor]
    return min((index for index, value in written if index < before and spoilt(value)), default=None)


def spoilt(value: Value | None) -> bool:
    """Whether an element is infinite or no number."""
    return value is not None and bool(value.nonfinite)
