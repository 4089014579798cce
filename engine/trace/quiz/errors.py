"""Questions about the error that ends a run: what raises, and where."""

from __future__ import annotations

from engine.trace import events
from engine.trace.document import Question, Trace
from engine.trace.enclosing import around
from engine.trace.marks import code
from engine.trace.narration.telling import cut, first_line
from engine.trace.quiz.draft import Draft

LONGEST = 90
"""Characters of an error's message in a choice."""
UNASKED = (None, "SyntaxError", "IndentationError", "TabError")
"""Errors that come before the first step."""
KNOWN: tuple[tuple[str, str, str, str], ...] = (
    ("backward", "RuntimeError: Trying to backward through the graph a second time", "a second time",
     "That is raised by a pass through nodes that an earlier pass freed"),
    ("backward", "RuntimeError: grad can be implicitly created only for scalar outputs", "scalar outputs",
     "That is raised when a pass starts from several numbers and was given no gradient"),
    ("backward", "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
     "does not require grad", "That is raised when a pass starts from a tensor without history"),
    ("backward", "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace op",
     "modified by an inplace", "That is raised when what a node saved was written to"),
    ("_(", "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.", "a leaf Variable",
     "That is raised by a recorded write into a leaf"),
    ("@", "RuntimeError: mat1 and mat2 shapes cannot be multiplied", "cannot be multiplied",
     "That is raised when the inner lengths of two matrices differ"),
    ("", "RuntimeError: The size of tensor a must match the size of tensor b", "must match",
     "That is raised when two shapes cannot be stretched to one"),
    ("", "TypeError: an argument has the wrong type", "TypeError", "That is raised for an argument of another kind"),
)  # fmt: skip
"""PyTorch's best known refusals: a piece of source that invites each, its text, a sign of it, and when it is raised."""


def what_raises(trace: Trace) -> Question | None:
    """What happens when the last line runs?"""
    outcome, last = trace.outcome, last_line(trace)
    if outcome.status != "error" or outcome.span is None or outcome.error in UNASKED or last is None:
        return None
    source = trace.code.split("\n")[outcome.span.line - 1].strip()
    end = len(trace.steps) - 1
    draft = Draft("what_raises", f"Line {outcome.span.line} is next: {code(cut(source, 80))}. What happens?", last)
    first = first_line(outcome.message, LONGEST)
    raised = f"{outcome.error}: {first}" if first else str(outcome.error)
    draft.right(raised, outcome.advice or "That is what it raised.", end)
    draft.wrong("It runs without an error.", f"It raises {outcome.error}.", end)
    said = f"{outcome.error}: {outcome.message}"
    for invited in (True, False):
        for piece, text, sign, why in KNOWN:
            if sign not in said and (bool(piece) and piece in source) == invited and (piece in source or not piece):
                draft.wrong(cut(text, LONGEST), f"{why}; here it is another error.", end)
    return draft.question()


def where_raises(trace: Trace) -> Question | None:
    """Which line raises?"""
    outcome = trace.outcome
    if outcome.status != "error" or outcome.span is None or outcome.error in UNASKED:
        return None
    reached = {
        step.span.line: index
        for index, step in enumerate(trace.steps)
        if isinstance(step, events.Line) and step.span is not None
    }
    line = outcome.span.line
    for number in calling(trace):
        if number != line:
            reached.pop(number, None)
    first = first_line(outcome.message, LONGEST)
    if line not in reached or not first:
        return None
    draft = Draft(
        "where_raises",
        f"This program ends with {outcome.error}: “{first.rstrip('.')}”. Which line raises it?",
        0,
        quotes=True,
    )
    lines = trace.code.split("\n")

    def quoted(number: int) -> str:
        return f"Line {number}: {code(cut(lines[number - 1].strip(), 60))}"

    draft.right(quoted(line), f"Line {line} runs into it.", len(trace.steps) - 1)
    for number, step in guilty_lines(trace):
        if number in reached and number != line:
            draft.wrong(
                quoted(number), "The trouble was made there; the error comes only where the result is needed.", step
            )
    others = sorted((number for number in reached if number != line), key=lambda number: (abs(line - number), number))
    for number in others:
        if lines[number - 1].strip().startswith(("import ", "from ", "def ", "class ", "@")):
            continue
        draft.wrong(quoted(number), f"Line {number} ran without an error.", reached[number])
    return draft.question()


def guilty_lines(trace: Trace) -> list[tuple[int, int | None]]:
    """(line, step) of each place where the reasons of the error say that the trouble was made."""
    found: list[tuple[int, int | None]] = []
    for reason in trace.reasons:
        if reason.about == "error":
            at = trace.steps[reason.step].span if reason.step is not None else None
            found += [(span.line, reason.step) for span in (reason.span, at) if span is not None]
    return found


def last_line(trace: Trace) -> int | None:
    """The last step that reaches a line."""
    lines = (index for index in range(len(trace.steps) - 1, -1, -1) if isinstance(trace.steps[index], events.Line))
    return next(lines, None)


def calling(trace: Trace) -> set[int]:
    """The lines whose calls were still running at the end: the error passed through them."""
    if len(trace.steps) < 2:
        return set()
    rows = [trace.scopes[scope] for scope in around(trace, trace.steps[-2].scope)]
    return {row.span.line for row in rows if row.span is not None and row.kind != "loop_turn"}
