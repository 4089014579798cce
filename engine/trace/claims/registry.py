"""Who checks which kind of claim."""

from __future__ import annotations

from collections.abc import Callable

from engine.trace import events
from engine.trace.document import Chapter, Trace
from engine.trace.parts import Claim, Value
from engine.trace.state import State

Check = Callable[[State, events.Step, Claim], bool]
"""Whether a step's claim holds, right after the step."""
ChapterCheck = Callable[[Trace, Chapter, Claim], bool]
"""Whether the claim of a chapter's title holds."""
CHECKS: dict[str, Check] = {}
CHAPTER_CHECKS: dict[str, ChapterCheck] = {}


def check(says: str) -> Callable[[Check], Check]:
    """Registers the check of one kind of claim that steps make."""

    def register(function: Check) -> Check:
        CHECKS[says] = function
        return function

    return register


def check_chapter(says: str) -> Callable[[ChapterCheck], ChapterCheck]:
    """Registers the check of one kind of claim that chapter titles make."""

    def register(function: ChapterCheck) -> ChapterCheck:
        CHAPTER_CHECKS[says] = function
        return function

    return register


def text_of(value: Value | None) -> str | None:
    """A value's text; None for None."""
    return None if value is None else value.text
