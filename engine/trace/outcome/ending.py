"""How a run ended: the exception as an `Outcome`, with the guilty columns and what to do."""

from __future__ import annotations

from types import TracebackType

from engine.errors import explained, explanation_of
from engine.trace.document import Outcome, Refused
from engine.trace.encodable import encodable
from engine.trace.follower import Spent
from engine.trace.outcome.advice import advice_for
from engine.trace.outcome.refused import refused_call
from engine.trace.parts import Span
from engine.trace.registry import Registry
from engine.trace.spans import Locator, Source

LONGEST = 4_000
"""Characters kept of a message."""

TOO_DEEP = "maximum recursion depth exceeded while calling a Python object"

LIMITS = {
    "steps": (
        "The run was stopped after its budget of statements and operations.",
        "If the loop was meant to end, check the condition that ends it; else let it turn fewer times.",
    ),
    "output": (
        "The run was stopped because it printed more than is kept.",
        "Print less: once per turn of the outer loop, or only the shape of a large tensor.",
    ),
    "memory": (
        "The run was stopped because it asked for more memory than it may have.",
        "Make less: smaller tensors, shorter lists and texts. Every step plays the same with a few numbers.",
    ),
    "cpu": (
        "The run was stopped because its computing time was spent.",
        "Make the marked line do less: fewer turns or smaller tensors play the same steps.",
    ),
    "wall": (
        "The run was stopped because its time was up.",
        "Make the marked line do less; remove sleeping and waiting.",
    ),
    "size": (
        "The run was stopped because its trace grew larger than a browser can play.",
        "Use smaller tensors or fewer turns: they play the same steps.",
    ),
    "system_call": (
        "The run was stopped because it asked the operating system for something that no snippet needs.",
        "A snippet computes and prints; it starts no programs and reaches nothing outside. Remove the marked line.",
    ),
    "crash": (
        "The run was stopped because Python itself crashed.",
        "Usually that is a recursion too deep inside C code, or code that changes Python's own memory.",
    ),
    "exit": (
        "The run ended its own process.",
        "Remove os._exit: a snippet simply ends at its last line.",
    ),
    "fault": (
        "Backplay failed while it told what this run did.",
        "That is a fault of Backplay, not of your code: please report the snippet. Its steps are there, up to where the telling failed.",
    ),
    "forged": (
        "What the run sent is no trace of this snippet.",
        "Code that changes the recorder cannot be played. Remove what reaches into engine or sys.",
    ),
}
"""For each limit: what happened, what to do."""


def limit_outcome(limit: str, span: Span | None) -> Outcome:
    """The outcome of a run that spent a budget."""
    message, advice = LIMITS[limit]
    return Outcome("limit", None, message, limit, span, advice)


def syntax_outcome(error: SyntaxError, source: Source) -> Outcome:
    """The outcome of a snippet that cannot be parsed."""
    span = None
    if error.lineno is not None and 1 <= error.lineno <= len(source.lines):
        line = min(error.lineno, len(source.lines))
        column = max((error.offset or 1) - 1, 0)
        end_line = error.end_lineno if error.end_lineno and error.end_lineno >= line else line
        end_line = min(end_line, len(source.lines))
        end = (error.end_offset or 0) - 1
        if end_line == line and end <= column:
            end = max(column + 1, len(source.lines[line - 1]))
        span = Span(line, column, end_line, max(end, 0))
    message = error.msg or str(error)
    return told(error, message, span)


def error_outcome(error: BaseException, locator: Locator, registry: Registry) -> Outcome:
    """The outcome of a run that raised."""
    span = guilty(error.__traceback__, locator)
    if isinstance(error, Spent):
        return limit_outcome(error.limit, span)
    if isinstance(error, MemoryError):
        return limit_outcome("memory", span)
    try:
        message = explained(str(error), explanation_of(error))
    except Exception as broken:  # noqa: BLE001 (the snippet's own __str__ may raise, and the run must still play)
        message = f"<the exception's __str__ raised {type(broken).__name__}>"
    if type(error) is RecursionError:
        message = TOO_DEEP  # Python's words tell what was called last, which is the recorder's affair
    return told(error, message, span, refused_call(error.__traceback__, locator.filename, registry))


def told(error: BaseException, message: str, span: Span | None, refused: Refused | None = None) -> Outcome:
    """The outcome that an error ends a run with, in words that can be sent."""
    message = message.replace("engine.torch", "torch")  # what the snippet knows it as
    name = encodable(type(error).__name__)
    return Outcome("error", name, encodable(message)[:LONGEST], None, span, encodable(advice_for(error)), refused)


def guilty(trace: TracebackType | None, locator: Locator) -> Span | None:
    """The columns of the innermost operation of the snippet that the exception passed."""
    span = None
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == locator.filename:
            span = locator.at(code, trace.tb_lasti) or span
        trace = trace.tb_next
    return span
