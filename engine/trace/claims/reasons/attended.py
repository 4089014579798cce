"""Mentions of equations of einsum and of the shapes of attention, worked out anew from what the refused call was given."""

from __future__ import annotations

import re

from engine.trace.claims.reasons.mention import says
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason


def shapes(record: Record) -> list[list[int]]:
    """The shapes of the tensors that the refused call was given, in order."""
    refused = record.trace.outcome.refused
    given = [one.tensor for one in refused.given if one.tensor is not None] if refused is not None else []
    return [record.trace.tensors[tensor].shape for tensor in given]


def equation(record: Record) -> tuple[list[str], str]:
    """(parts before the arrow, letters behind it) of what einsum was given."""
    refused = record.trace.outcome.refused
    texts = [given.text for given in refused.given if given.type == "str"] if refused is not None else []
    inputs, _, output = (texts[0] if texts else "").strip("'\"").replace(" ", "").partition("->")
    return inputs.split(","), output


@says(
    r"In `([^`]+)` `(\w)` is dimension (\d+) of (?:[^:`]|`[^`]*`)* and dimension (\d+) of (?:[^:`]|`[^`]*`)*: (\d+) against (\d+)"
)
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """Two parts have the letter at these places, where their tensors have these lengths."""
    parts, _ = equation(record)
    lengths = {
        (part.index(found[2]), shape[part.index(found[2])])
        for part, shape in zip(parts, shapes(record), strict=True)
        if found[2] in part
    }
    told = {(int(found[3]), int(found[5])), (int(found[4]), int(found[6]))}
    return found[1].partition("->")[0].split(",") == parts and told <= lengths and found[5] != found[6]


@says(r"it has (\d+) dimensions, and `([^`]+)` in `[^`]+` names (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    pairs = zip(equation(record)[0], shapes(record), strict=True)
    fits = any(part == found[2] and len(shape) == int(found[1]) for part, shape in pairs)
    return fits and len(found[2].replace("...", "")) == int(found[3]) != int(found[1])


@says(r"`[^`]+` has (\d+) parts before its arrow, .*?, and is given (\d+) tensors?")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return len(equation(record)[0]) == int(found[1]) != int(found[2]) == len(shapes(record))


@says(r"`(\w)` stands behind the arrow of `[^`]+` and in none of its parts before it")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    parts, output = equation(record)
    return found[1] in output and not any(found[1] in part for part in parts)


@says(r"the scores, which are of shape (\[[\d, ]*\])")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    query, key, *_ = shapes(record)
    return found[1] == str([*query[:-1], key[-2]])


@says(r"Each query is multiplied with each key, number by number: (\d+) against (\d+) numbers")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    query, key, *_ = shapes(record)
    return [query[-1], key[-1]] == [int(found[1]), int(found[2])]


@says(r"Each key has its value: (\d+) keys against (\d+) values")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    _, key, value, *_ = shapes(record)
    return [key[-2], value[-2]] == [int(found[1]), int(found[2])]
