"""All that a trace says to people."""

from __future__ import annotations

from collections.abc import Iterator

from engine.trace.document import Trace
from engine.trace.formula import plain


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
