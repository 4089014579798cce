"""Reads the words of a reason: every mention of code, of a line, a shape, a value or a count is looked up in the trace."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Each registers its mentions, the more exact before those that would take a part of them.
from engine.trace.claims.reasons import outcomes  # isort: skip
from engine.trace.claims.reasons import python_calls  # isort: skip
from engine.trace.claims.reasons import attended  # isort: skip
from engine.trace.claims.reasons import counts  # isort: skip
from engine.trace.claims.reasons import amounts  # isort: skip
from engine.trace.claims.reasons import flats  # isort: skip
from engine.trace.claims.reasons import returned  # isort: skip
from engine.trace.claims.reasons import unmoved  # isort: skip
from engine.trace.claims.reasons import places  # isort: skip
from engine.trace.claims.reasons import refused  # isort: skip
from engine.trace.claims.reasons.known import is_known
from engine.trace.claims.reasons.mention import MENTIONS
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason

__all__ = [
    "amounts",
    "attended",
    "counts",
    "faults",
    "flats",
    "outcomes",
    "places",
    "python_calls",
    "refused",
    "returned",
    "unmoved",
]


def faults(record: Record, reason: Reason) -> Iterator[str]:
    """What is said and is not so, and what is said and cannot be checked."""
    rest = reason.text
    for pattern, holds in MENTIONS:
        for found in pattern.finditer(rest):
            if not holds(record, reason, found):
                yield f"wrong: {found[0]!r}"
        rest = pattern.sub(" ", rest)
    rest = re.sub(r"\bresult \d+ of (?=`)", "", rest)
    for text in re.findall(r"`([^`]+)`", rest):
        if not is_known(record, text):
            yield f"unknown: `{text}`"
    for number in re.findall(r"(?<![\w.])\d[\w.]*", re.sub(r"`[^`]+`", "", rest)):
        yield f"nobody checks {number!r}"
