"""What diagnosis answers, before it becomes a `Reason` of the trace."""

from __future__ import annotations

from dataclasses import dataclass

from engine.trace.parts import Span


@dataclass(frozen=True, slots=True)
class Answer:
    """Why, where, and what to change."""

    cause: str
    """One of `engine.trace.diagnosis.causes.CAUSES`."""
    text: str
    """Why, in words."""
    fix: str = ""
    """What to change, in code where possible."""
    step: int | None = None
    """The step at which it happened, or at which it should be said."""
    span: Span | None = None
    """The first guilty columns."""


Found = tuple[int | None, Answer] | None
"""The tensor that an answer is about, where it is about one, and the answer; None where there is nothing to say."""
