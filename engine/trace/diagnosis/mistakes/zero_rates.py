"""A learning rate of 0, or next to it: the optimizer steps with gradients, and nothing moves."""

from __future__ import annotations

from engine.optim import lr_scheduler
from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import calls_of, ran
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.optimizers import where_made
from engine.trace.diagnosis.mistakes.steps import has_gradient
from engine.trace.narration.amounts import number_word
from engine.trace.parts import Span
from engine.trace.values import spelled

SCHEDULES = frozenset(lr_scheduler.__all__)
TINY = 1e-6
"""A rate below this may be meant for something else than numbers like 1: with those, it moves nothing."""
UPDATES = 2
"""Updates at the end of a run that must change nothing. (A warm-up may well begin with one at a rate of 0.)"""


def rate_is_zero(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: the last updates had gradients, and their learning rate was too small to change anything."""
    if history.trace.folded or history.trace.outcome.status != "ok":
        return []
    kinds = {(step.optimizer, *(change.tensor for change in step.changes)) for _, step in history.steps}
    still = 0
    for _, step in reversed(history.steps):
        if not stands_still(step):
            break
        still += 1
    if still < UPDATES or len(kinds) > 1:
        return []
    index, step = history.steps[-still]
    scheduled = schedule(history)
    place = scheduled or where_made(history, step) or step.span
    if scheduled is not None and step.settings.get("lr"):
        return []  # a schedule that falls so far is the schedules' own matter
    share = "all" if still == len(history.steps) else "the last"
    rate = step.settings.get("lr") or 0
    lost = " and what it makes of the gradients is less than their last digit" if rate else ""
    sets = f" {history.quoted(place)} on line {place.line} sets it so." if place is not None else ""
    fix = (
        f"Look at what {history.quoted(place)} makes of the learning rate: it has to stay above 0 as long as training goes on."
        if scheduled is not None
        else f"Give the optimizer a {'larger learning rate' if rate else 'learning rate above 0'}, such as `lr=0.01`."
    )
    return [
        (
            step.changes[0].tensor,
            Answer(
                "rate_zero",
                f"The learning rate is {spelled(rate)} in {share} {number_word(still)} updates ({history.quoted(step.span)}, "
                f"{history.line_of(index)}){lost}, so they change nothing.{sets}",
                fix,
                index,
                place,
            ),
        )
    ]


def stands_still(step: events.OptimizerStepped) -> bool:
    """Whether an update had gradients, a rate far from any that is used, and changed nothing. (Of what is kept whole.)"""
    changes, rate = step.changes, step.settings.get("lr")
    return (
        isinstance(rate, int | float)
        and (rate == 0 or (rate < TINY and all(change.after.data is not None for change in changes)))
        and any(map(has_gradient, changes))
        and all(change.before == change.after for change in changes)
    )


def schedule(history: History) -> Span | None:
    """The last call that made a learning rate schedule: one of several is made last, of the others."""
    made = [call for statement, call in calls_of(history, SCHEDULES) if ran(history, statement)]
    return history.source.span(max(made, key=lambda call: call.lineno)) if made else None
