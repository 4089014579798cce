"""What a schedule did to an optimizer's learning rates, and what that means for the next update."""

from __future__ import annotations

import functools
import inspect
import math
import re

from engine.optim import lr_scheduler, swa_utils
from engine.trace import events
from engine.trace.describe import first_sentences
from engine.trace.events import SettingChange
from engine.trace.narration.amounts import MOST, counted, listed, ordinal
from engine.trace.narration.telling import Reader, Telling
from engine.trace.parts import Claim, Number
from engine.trace.values import spelled

SCALED = frozenset({
    "SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "SparseAdam", "Adagrad", "Adadelta", "RMSprop", "Muon",
})  # fmt: skip
"""Optimizers whose whole update is the learning rate times something that does not depend on it."""
WORDS = {
    0.1: "a tenth as far",
    0.2: "a fifth as far",
    0.25: "a quarter as far",
    0.5: "half as far",
    2.0: "twice as far",
}
"""How the usual parts are said."""


def schedule_stepped(reader: Reader, step: events.ScheduleStepped, tell: Telling) -> None:
    """scheduler.step(), or a schedule that sets its first rate as it is made."""
    rates = [change for change in step.changes if change.name == "lr"]
    moved = [change for change in rates if change.before != change.after]
    when = f"{step.scheduler} begins" if step.begins else f"{step.scheduler}, step {step.count}"
    stands = Claim("schedule", text=step.scheduler, number=None if step.begins else step.count)
    pairs = {(change.before, change.after) for change in rates}
    if len(pairs) == 1:
        before, after = pairs.pop()
        what = f"goes from {told(before)} to {told(after)}" if moved else f"stays {told(after)}"
        tell.say(f"{when}: the learning rate of {step.optimizer} {what}.", stands, *map(rate_claim, rates))
    elif not rates:
        tell.say(f"{when}, and sets no learning rate.", stands)
    else:
        verb = "change" if moved else "stay as they are"
        tell.say(f"{when}: the learning rates of {step.optimizer}'s {counted(len(rates), 'group')} {verb}.", stands)
        for change in rates[:MOST]:
            arrow = (
                f"{told(change.before)} → {told(change.after)}" if change in moved else f"stays {told(change.after)}"
            )
            tell.say(f"Of {reader.list(change.tensors)}: {arrow}.", rate_claim(change))
    if step.metric is not None and step.best is not None:
        watched(step, told(step.metric), told(step.best), tell, reduced=bool(moved))
    if not step.begins and len({ratio(change) for change in moved}) == 1:
        consequence(reader, step, moved, rates, tell)
    for name in ("momentum", "beta1"):
        along = [change for change in step.changes if change.name == name]
        if along:
            tell.say(
                f"The `{name}` of {step.optimizer} moves along: {told(along[0].before)} → {told(along[0].after)}.",
                *[rate_claim(change) for change in along],
            )
    introduced(reader, step, tell)
    for change in moved:
        reader.set_by.update(dict.fromkeys(change.tensors, step))


def told(rate: Number) -> str:
    """A rate as people read it."""
    return spelled(float(rate))


def rate_claim(change: SettingChange) -> Claim:
    """That the setting went from one number to another."""
    tensor = change.tensors[0] if change.tensors else None
    return Claim("schedule_set", tensor=tensor, number=change.after, text=f"{change.name} {told(change.before)}")


def ratio(change: SettingChange) -> float:
    """How many times as large a rate is now; infinite where it was 0."""
    before, after = float(change.before), float(change.after)
    return after / before if before else math.inf


def consequence(
    reader: Reader, step: events.ScheduleStepped, moved: list[SettingChange], rates: list[SettingChange], tell: Telling
) -> None:
    """What the new rate does to the next update."""
    factor = ratio(moved[0])
    claim = Claim("schedule_factor", number=factor if math.isfinite(factor) else "inf")
    tensors = [tensor for change in moved for tensor in change.tensors]
    whom = "the parameters" if len(moved) == len(rates) else reader.list(tensors)
    if float(moved[0].after) == 0:
        tell.say(f"At a rate of 0 the next step() does not move {whom}.", claim)
    elif step.optimizer in SCALED and 0 < factor < math.inf:
        far = WORDS.get(round(factor, 6)) or f"{spelled(factor)} times as far"
        than = f"at {told(moved[0].before)}" if len(moved) == 1 else "before"
        tell.say(
            f"{step.optimizer} multiplies its update by the learning rate, so the next step() moves {whom} {far} as it would "
            f"have {than}.",
            claim,
        )


def watched(step: events.ScheduleStepped, metric: str, best: str, tell: Telling, reduced: bool) -> None:
    """What a schedule that watches a number makes of the one it was told."""
    patience = step.settings.get("patience", 0)
    claim = Claim("watched", number=step.metric, text=str(step.unimproved))
    if metric == best:
        tell.say(f"It was told {metric}, the best so far.", claim)
    elif not step.unimproved:
        tell.say(f"It was told {metric}; the best so far is {best}.", claim)
    else:
        row = f"the {ordinal(step.unimproved)} step in a row that is not clearly better"
        if step.unimproved <= float(patience):
            then = f"It lowers the rate after more than `patience = {patience}` of them."
        else:
            then = f"That is more than `patience = {patience}`" + (
                ", so it lowers the rate." if reduced else ", but the rate is as low as it may go."
            )
        tell.say(f"It was told {metric}; the best so far is {best}, and this is {row}. {then}", claim)


def introduced(reader: Reader, step: events.ScheduleStepped, tell: Telling) -> None:
    """How a schedule finds its rates, once."""
    own = re.search(rf"\bclass\s+{re.escape(step.scheduler)}\b", reader.trace.code)
    if own or step.scheduler in reader.explained:
        return
    reader.explained.add(step.scheduler)
    if how := explained(step.scheduler):
        tell.say(how, Claim("schedule", text=step.scheduler))
        if step.settings:
            tell.say(
                f"Here {listed([f'`{name} = {told(value)}`' for name, value in step.settings.items()])}.",
                *[Claim("schedule_setting", number=value, text=name) for name, value in step.settings.items()],
            )


@functools.cache
def explained(scheduler: str) -> str:
    """How PyTorch's schedule of that name goes: the first paragraph of its own description."""
    declared = getattr(lr_scheduler, scheduler, None) or getattr(swa_utils, scheduler, None)
    known = isinstance(declared, type) and issubclass(declared, lr_scheduler.LRScheduler)
    how = first_sentences((inspect.getdoc(declared) or "") if known else "")
    return f"{scheduler}: {how[:1].lower()}{how[1:]}" if how else ""
