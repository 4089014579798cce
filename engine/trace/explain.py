"""Puts words on a finished trace: labels, chapters, narration, reasons and questions, each a reader of the whole."""

from __future__ import annotations

from engine.trace.diagnosis import diagnose
from engine.trace.document import Trace
from engine.trace.labels import label
from engine.trace.narration import divide, narrate
from engine.trace.quiz import ask


def explain(trace: Trace) -> Trace:
    """Fills in everything that is said, in place; returns the trace."""
    label(trace)
    diagnose(trace)
    narrate(trace)
    divide(trace)
    ask(trace)
    return trace
