"""What diagnosis answers, and how an answer becomes a `Reason` of the trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.trace.document import Reason
from engine.trace.marks import marked
from engine.trace.narration.telling import begun
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


def reason_of(
    tensor: int | None,
    about: Literal["grad", "grad_fn", "value", "error"],
    answer: Answer,
    first: int,
    last: int,
    warns: bool = False,
) -> Reason:
    """An answer as the trace keeps it: about which tensor, and from which step to which it holds."""
    return Reason(
        tensor=tensor,
        about=about,
        cause=answer.cause,
        first=first,
        last=last,
        text=begun(marked(answer.text)),
        span=answer.span,
        fix=marked(answer.fix),
        step=answer.step,
        warns=warns,
    )
