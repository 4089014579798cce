"""Mentions of what the backward() of a custom function returned."""

from __future__ import annotations

import re

from engine.trace import events
from engine.trace.claims.reasons.mention import CODE, VALUE, says
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason
from engine.trace.narration.amounts import ordinal


@says(rf"{CODE} on line (\d+) is the (\w+) gradient that {CODE} returns: its shape is (\[.*?\])")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """PyTorch's message tells the function, the shape and which gradient it is, counted from 0."""
    message = record.trace.outcome.message
    index = re.search(r"at index (\d+) - got (\[.*?\])", message)
    told = index is not None and found[3] == ordinal(int(index[1]) + 1) and found[5] == index[2]
    return told and found[4].removesuffix(".backward") in message and record.placed(found[1], int(found[2]))


@says(rf"{CODE}, whose gradient it should be, has shape (\[.*?\])")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return any(str(record.trace.tensors[tensor].shape) == found[2] for tensor in record.tensors(found[1]))


@says(
    rf"{CODE} \(line (\d+)\) never uses `(\w+)`, which holds what comes from behind it, ({VALUE}) here: {CODE} on line (\d+) goes on "
    r"as if that were 1"
)
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """The function stands there, its node got that value, and the name is not found between it and what it returns."""
    ran = record.trace.steps[reason.step or 0]
    got = [value.text for value in ran.gradients if value is not None] if isinstance(ran, events.NodeRan) else []
    first, last = int(found[2]), int(found[6])
    body = "\n".join(record.source.lines[first:last])
    named = (
        found[1].removesuffix(".backward") in record.trace.code and "def backward(" in record.source.lines[first - 1]
    )
    unused = re.search(rf"\b{found[3]}\b", body) is None
    told = found[4] in got or any(one.startswith("float") for one in got)
    return named and unused and told and record.placed(found[5], last)
