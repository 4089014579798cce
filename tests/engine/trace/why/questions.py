"""What a trace answers to the question of a labelled program."""

from __future__ import annotations

from engine.trace.document import Reason, Trace
from tests.engine.trace.why.cases import Case


def answers(trace: Trace, case: Case) -> list[Reason]:
    """What the trace says about the case's question, when it is asked."""
    if case.about == "error":
        return [reason for reason in trace.reasons if reason.about == "error"]
    if case.about == "warning":
        return [reason for reason in trace.reasons if reason.warns and reason.about != "error"]
    named = [index for index, row in enumerate(trace.tensors) if case.name in row.names]
    about = [
        reason
        for reason in trace.reasons
        if named and reason.tensor == named[-1] and reason.about == case.about and not reason.warns
    ]
    ran = [index for index, step in enumerate(trace.steps) if step.span is not None and step.span.line == case.asked]
    at = ran[-1] if ran else len(trace.steps) - 1
    return [reason for reason in about if reason.first <= at <= reason.last]
