"""Mentions of an error's or a limit's own words."""

from __future__ import annotations

import re

from engine.trace.claims.reasons.mention import says
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason


@says(r"^Line (\d+) raises (\w+)(?:: (.*?))?(?=$| Given here: )")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    outcome = record.trace.outcome
    words = " ".join(outcome.message.strip().split("\n")[0].split()).rstrip(" .,:")
    said = (found[3] or "").replace("`", "")
    where = outcome.span is not None and outcome.span.line == int(found[1])
    same = "".join(said.split()) == "".join(
        (f"{words}." if words else said).split()
    )  # PyTorch glues sentences together
    return where and found[2] == outcome.error and same


@says(r"^The run (?:was stopped|ended).*$|^What the run sent.*$")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    outcome = record.trace.outcome
    line = re.search(r"on line (\d+)\.$", found[0])
    where = line is None or (outcome.span is not None and outcome.span.line == int(line[1]))
    return where and outcome.status == "limit" and found[0].startswith(outcome.message.rstrip("."))
