"""Mentions of what the backward() of a custom function returned."""

from __future__ import annotations

import re

from engine.trace.claims.reasons.mention import CODE, says
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
