"""Small help with texts: those that come from a snippet, and all that a trace says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.trace.formula import plain

if TYPE_CHECKING:
    from engine.trace.document import Trace


def encodable(text: str) -> str:
    """The text with lone surrogates escaped: they are legal in Python strings and illegal in UTF-8, so in JSON."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text


def everything_said(trace: Trace) -> Iterator[str]:
    """Every text and formula of a trace that people read."""
    for step in trace.steps:
        yield from (text for text in (step.text, *step.detail, step.warning) if text)
        if step.formula is not None:
            yield plain(step.formula)
    for reason in trace.reasons:
        yield from (text for text in (reason.text, reason.fix) if text)
    for question in trace.questions:
        yield question.prompt
        for choice in question.choices:
            yield from (choice.text, choice.why)
    yield trace.outcome.advice
