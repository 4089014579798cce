"""Puts words on a finished trace: labels, chapters, narration, reasons and questions, each a reader of the whole."""

from __future__ import annotations

from collections.abc import Callable

from engine.trace import unsaid
from engine.trace.diagnosis import diagnose
from engine.trace.document import Part, Trace
from engine.trace.labels import label
from engine.trace.narration import divide, narrate
from engine.trace.quiz import ask


def explain(trace: Trace) -> Trace:
    """Fills in everything that is said, in place; returns the trace. What a reader fails to say is noted as unsaid."""
    read(trace, "labels", label)
    unsaid.name_plainly(trace)
    read(trace, "reasons", diagnose)
    read(trace, "narration", narrate)
    read(trace, "chapters", divide)
    read(trace, "questions", ask)
    unsaid.close_gaps(trace)
    return trace


def read(trace: Trace, part: Part, reader: Callable[[Trace], None]) -> None:
    """One reader's turn; the others have theirs whatever becomes of it."""
    try:
        reader(trace)
    except Exception as error:  # noqa: BLE001 (whatever it is: it is this reader's, and costs its words only)
        unsaid.note(trace, part, error)
