"""Checks what reasons and warnings assert: their class of cause against raw events, and every mention in their words.

A reason is its own claim: tensor, cause, step and columns are fields, which `causes` holds against the trace. Its words
are read back by `words`: each quoted piece of code, line, shape, value and count has to be what the trace says. Nothing
here asks `engine.trace.diagnosis`, which wrote them.
"""

from engine.trace.claims.reasons import causes, mistakes, words
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Trace

__all__ = ["mistakes", "wrong_reasons"]


def wrong_reasons(trace: Trace) -> list[str]:
    """The assertions of a trace's reasons that do not hold, and what is said that nobody can check."""
    record = Record(trace)
    wrong = []
    for reason in trace.reasons:
        wrong += [f"{reason.cause}: {fault} in {reason.text!r}" for fault in words.faults(record, reason)]
        if not causes.holds(record, reason):
            wrong.append(f"{reason.cause} does not hold: {reason.text!r}")
    return wrong
