"""How pieces of sentences are registered with what they mean, and how code and values are spelled in them."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason

Mention = Callable[[Record, Reason, "re.Match[str]"], bool]
"""Whether what a piece of a sentence says is so."""
MENTIONS: list[tuple[re.Pattern[str], Mention]] = []
CODE = r"(?:result \d+ of |the copy of )?(?:`\w+` in )?`([^`]+)`"
"""A label or a piece of source; of what was made inside of something else, the whole."""
NUMBER = r"[−-]?(?:\d+(?:\.\d+)?(?:e[−+-]?\d+)?|inf|nan)(?:[+−](?:\d[\d.]*(?:e[−+-]?\d+)?|inf|nan)j)?"
RANGE = rf"(?: from {NUMBER} to {NUMBER}|, all (?:{NUMBER}|NaN|infinite)|(?:, (?:one|\d+) of them (?:NaN|infinite))+)?(?:, \d+ stored)?"
TRUTHS = r" truth values(?:, (?:all|none of them|(?:one|\d+) of them) True)?"
NESTED = r"\[(?:[^\[\]`]|\[(?:[^\[\]`]|\[[^\[\]`]*\])*\])*\]"
VALUE = rf"(?:no numbers|True|False|(?:\d+ × )*\d+(?: numbers{RANGE}|{TRUTHS})|{NESTED}|{NUMBER})(?![\w×]| ×)"
"""A value as sentences spell it."""


def says(pattern: str) -> Callable[[Mention], Mention]:
    """Registers what is meant by pieces of sentences; the first pattern that takes a piece decides about it."""

    def register(function: Mention) -> Mention:
        MENTIONS.append((re.compile(pattern), function))
        return function

    return register
