"""Mentions of values, and of what is true of numbers whatever the run."""

from __future__ import annotations

import re

from engine.trace import events
from engine.trace.claims.reasons.mention import CODE, VALUE, says
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason
from engine.trace.marks import bare
from engine.trace.narration.amounts import shown

ALWAYS = (
    "the slope of a root is infinite at 0, and below 0 it has none",
    "the slope of a fractional power is infinite at 0, and below 0 it has none",
    "the slope of a logarithm is infinite at 0",
    "dividing by 0 has an infinite slope",
    "its slope at ±1 is infinite, and outside it has none",
    "it exists from −1 to 1 only",
    "1 divided by 0 is infinite",
    "e to a number above 88 is more than a float32 holds",
    "e to a number above 709 is more than a float64 holds",
    "the product is larger than a float32 holds",
    "the product is larger than a float64 holds",
    "and so is what is too large for a float32",
    "and so is what is too large for a float64",
    "takes probabilities, from 0 to 1",
    "which are never above 0",
    "0 · ∞ is not a number",
    "neither 0 · ∞ nor 0 · NaN is a number",
    "0 ÷ 0 and ∞ ÷ ∞ are not numbers",
    "∞ − ∞ is not a number",
    "the mean of nothing is 0 ÷ 0",
    "0 to a negative power is infinite",
    "a number divided by 0 is infinite",
    "the logarithm of 0 is −∞",
)
"""Arithmetic that sentences lean on."""


@says("|".join(map(re.escape, ALWAYS)))
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return True


PART = rf"(?:{VALUE}(?: \(set by hand on line \d+\))?|…)"
"""What adds up to a gradient; after the sixth the rest is left out."""


@says(rf"`([^`\s]+)\.grad` = ({PART}(?: \+ {PART})+) = ({VALUE})(?=:)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    parts = {re.sub(r" \(set by hand on line \d+\)", "", part) for part in found[2].split(" + ")} - {"…"}
    return any({found[3], *parts} <= record.gradients(tensor) for tensor in record.tensors(found[1]))


@says(rf"`([^`\s]+)\.grad` (?:=|holds|still held|is) ({VALUE})")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    if found[2] == "0":  # "is 0" of several numbers
        return reason.cause in ("zeroed", "zero_gradient")
    return any(found[2] in record.gradients(tensor) for tensor in record.tensors(found[1]))


@says(rf"the new one, ({VALUE}), was added to it: ({VALUE})(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return reason.tensor is not None and {found[1], found[2]} <= record.gradients(reason.tensor)


@says(rf"{CODE} = `([^`]+)`(?: in `[^`]+`)? = ({VALUE}) \(line (\d+)\)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return record.placed(found[2], int(found[4])) and any(
        found[3] in record.held(tensor) for tensor in record.tensors(found[1])
    )


@says(rf"{CODE} = ({VALUE})")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    whose = bare(found[0]).partition(" = ")[0]
    among = record.tensors(whose) or record.tensors(found[1]) or range(len(record.trace.tensors))
    return any(found[2] in record.held(tensor) for tensor in among)


@says(rf"it gets ({VALUE}),? and sends ({VALUE}),? to {CODE}")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    ran: set[str] = set()
    sent: set[str] = set()
    for step in record.trace.steps:
        if isinstance(step, events.NodeRan):
            ran |= {shown(value) for value in step.gradients}
        elif isinstance(step, events.MessageSent):
            sent.add(shown(step.value))
    return found[1] in ran and found[2] in sent
