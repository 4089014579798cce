"""Mentions of what a refused call was given: lengths, counts and products of shapes, and what a layer was made with."""

from __future__ import annotations

import functools
import math
import re

from engine.trace.claims.reasons.mention import says
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason

COUNTED = "features?|channels?|examples?|rows?|columns?|places?|classes|entries|dimensions?|numbers|scores|parts|arguments|heads|layers?"
PRODUCT = r"(\d+(?: × \d+)+) = (\d+)"


@functools.lru_cache(maxsize=4)
def lengths(record: Record) -> set[int]:
    """Numbers that a sentence about the refused call may name.

    Those of the message and of the settings; lengths, counts of dimensions and of elements of the tensors given.
    """
    refused, message = record.trace.outcome.refused, record.trace.outcome.message
    if refused is None:
        return set()
    words = [message, *(setting.text for setting in refused.settings), *(given.text for given in refused.given)]
    found = {abs(int(number)) for text in words for number in re.findall(r"\d+", text)}
    found |= {len(refused.given), len([given for given in refused.given if given.tensor is not None])}
    found |= {
        len([given for given in refused.given if given.type == "int"]),
        len([g for g in refused.given if "][" not in g.argument]) - 1,
    }
    found.add(math.prod(int(given.text) for given in refused.given if given.type == "int" and given.text.isdigit()))
    for given in refused.given:
        if given.tensor is not None:
            shape = record.trace.tensors[given.tensor].shape
            found |= {*shape, len(shape), math.prod(shape), math.prod(shape[1:]), *range(len(shape))}
    return found


def holds(record: Record, text: str) -> bool:
    """Whether all numbers in a piece of a sentence are such."""
    return all(int(number) in lengths(record) for number in re.findall(r"\d+", text))


@says(rf"{PRODUCT}(?= numbers)|{PRODUCT}")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """Lengths of some shape, and their product."""
    factors, product = (found[1], found[2]) if found[1] else (found[3], found[4])
    wanted = [int(factor) for factor in factors.split(" × ")]
    shapes = [row.shape for row in record.trace.tensors]
    return math.prod(wanted) == int(product) and any(
        wanted in (shape, shape[1:]) or int(product) in shape for shape in shapes
    )


@says(r"nothing of (\d+(?: × \d+)*) holds the kernel")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return holds(record, found[1])


@says(r"(?:must be|has place for|and|the shape was) (\[[\d, ]*\])(?: is asked for| \()?")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return str(found[1]) in {str(row.shape) for row in record.trace.tensors} or holds(record, found[1])


@says(
    r"is of shape (\[[\d, ]*\]) there and of shape (\[[\d, ]*\]) here|of shape (\[[\d, ]*\]) and of shape (\[[\d, ]*\])"
)
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return all(shape in record.trace.outcome.message for shape in found.groups() if shape)


@says(r"\bholds (-?\d+)(?: to (-?\d+))?(?=[.,:])")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """Elements of a tensor of whole numbers that was given, or the least and the greatest."""
    refused = record.trace.outcome.refused
    given = [one.tensor for one in refused.given if one.tensor is not None] if refused is not None else []
    values = (record.trace.tensors[tensor].value for tensor in given)
    held = {str(n) for value in values if value is not None for n in (*(value.data or ()), value.low, value.high)}
    return {number for number in found.groups() if number} <= held


@says(
    r"(?:counted from|for|entries,|it counts from) \d+(?: to \d+)?|(?:(?:end, )?\d+ )?(?:against|meets) \d+|dimension -\d+"
    r"|\d+ to \d+|only a 1 is stretched|took every 1 out|takes \d+(?: or \d+)?(?=, (?:as|the first))"
    r"|(?:was |a multiple of |asks for |an order of |row of |and |: )\d+(?= is asked|\.| for each|,)"
    rf"|\b(?:in )?dimension \d+|\b\d+ (?:{COUNTED})\b|each of \d+ features|made for \d+|the \d+ (?:{COUNTED})"
)
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    below = {number - 1 for number in lengths(record)}
    return all(int(number) in lengths(record) | below | {0, 1} for number in re.findall(r"\d+", found[0]))
