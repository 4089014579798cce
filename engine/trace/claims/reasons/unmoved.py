"""What is said of parameters that do not move, or move the wrong way: facts, and the mentions in their sentences."""

from __future__ import annotations

import itertools
import re

from engine.trace import events
from engine.trace.claims.reasons.causes import current_gradient, means
from engine.trace.claims.reasons.mention import CODE, NUMBER, says
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason
from engine.trace.narration.amounts import number_word
from engine.trace.values import spelled


@means("rate_zero")
def _(record: Record, reason: Reason) -> bool:
    """The last update had gradients and changed nothing."""
    return bool(record.updates) and idle(record.updates[-1][1])


@means("lost_update")
def _(record: Record, reason: Reason) -> bool:
    """The leaf has a gradient, and nothing was ever written into it."""
    written = any(
        isinstance(step, events.ValueWritten) and reason.tensor in (step.tensor, *step.shared_with)
        for step in record.trace.steps
    )
    return not written and bool(record.stored[reason.tensor or 0])


@means("uphill")
def _(record: Record, reason: Reason) -> bool:
    """A write into the leaf is pointed to, made while it had a gradient."""
    write = record.trace.steps[reason.step or 0]
    return isinstance(write, events.ValueWritten) and current_gradient(record, reason)


@means("hook_returns_nothing")
def _(record: Record, reason: Reason) -> bool:
    fired = record.trace.steps[reason.step or 0]
    return isinstance(fired, events.HookFired) and fired.before is not None and fired.after is None


def idle(step: events.OptimizerStepped) -> bool:
    """Whether an update with a learning rate of 0, or far from any that is used, changed nothing."""
    rate = step.settings.get("lr")
    small = isinstance(rate, int | float) and rate < 1e-6
    return small and all(change.before == change.after for change in step.changes)


@says(rf"The learning rate is ({NUMBER}) in (all|the last) (\w+) updates")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    still = len(list(itertools.takewhile(idle, (step for _, step in reversed(record.updates)))))
    same = found[1] == spelled(record.updates[-1][1].settings.get("lr"))
    return same and found[3] == number_word(still) and (found[2] == "all") == (still == len(record.updates))


@says(rf"rises: it goes from ({NUMBER}) to ({NUMBER})(?=\.$)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """Both are what a pass started from, the second after the first."""
    roots = [step.roots[0] for step in record.trace.steps if isinstance(step, events.BackwardStarted) and step.roots]
    values = [value for root in roots for _, value in record.values[root]]
    told = [spelled(float(value.data[0])) for value in values if value.data is not None and len(value.data) == 1]
    return found[1] in told and found[2] in told[told.index(found[1]) :]


@says(rf"The hook {CODE} \(line (\d+)\) computes a new {CODE}")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """That function is defined there and fired, and assigns that name."""
    line = record.source.lines[int(found[2]) - 1]
    fired = any(isinstance(step, events.HookFired) and step.function == found[1] for step in record.trace.steps)
    return fired and re.search(rf"\bdef {found[1]}\(", line) is not None and f"{found[3]} =" in record.trace.code
