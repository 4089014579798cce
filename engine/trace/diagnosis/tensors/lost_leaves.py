"""Names that should stand for a leaf and stand for a result of it: re-bound, or bound to a result at once."""

from __future__ import annotations

import math
import re

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import clears
from engine.trace.diagnosis.history import History
from engine.trace.marks import code, grouped
from engine.trace.parts import Span

ASKS = re.compile(r"requires_grad|\bParameter\(")
"""In the text of an expression that makes a leaf of the person's own; a layer makes its parameters without."""
SAME_STATEMENT = 8
"""Steps before and after a binding in which the other bindings of its statement are looked for."""


def leaf_lost(history: History, tensor: int) -> Answer | None:
    """A name that should stand for a leaf and stands for a result of it: re-bound, or bound to a result at once."""
    row = history.trace.tensors[tensor]
    names = history.bound[tensor]
    if not names:
        return _item_lost(history, tensor)
    first = _first_in_its_place(history, tensor)
    if first is not None:
        step, name = history.replaced_at.get(first) or history.bound[first][0]
        return _moved(history, first, name, step)
    if row.span is None:
        return None
    step, name = names[0]
    leaf = _leaf_inside(history, tensor, step)
    if leaf is None:
        return None
    as_written = history.text(history.trace.steps[step].span)
    return Answer(
        "rebound",
        f"`{name}` is not the leaf: the leaf is {history.quoted(history.trace.tensors[leaf].span)}, and "
        f"{history.quoted(row.span)} on line {row.span.line} is a result of it.",
        _asked_last(as_written if as_written.startswith("self.") else name, history.text(row.span)),
        step,
        row.span,
    )


def _leaf_inside(history: History, tensor: int, step: int) -> int | None:
    """The leaf without a name in the very expression of a result: ``torch.randn(3, requires_grad=True).double().flatten()``.

    Between the two may be results of one tensor. All have as many elements: the leaf is being finished there.
    """
    rows, current = history.trace.tensors, tensor
    whole, size = rows[tensor].span, math.prod(rows[tensor].shape)
    if ASKS.search(history.text(whole)) is None:
        return None
    while True:
        inside = [
            source
            for source in history.inputs[current]
            if not history.bound[source] and math.prod(rows[source].shape) == size and _within(rows[source].span, whole)
        ]
        for source in inside:
            if _was_leaf(history, source, step):
                return source
        if len(inside) != 1 or len(history.inputs[current]) != 1:
            return None
        current = inside[0]


def _within(span: Span | None, whole: Span | None) -> bool:
    """Whether an expression is a part of another, or all of it."""
    if span is None or whole is None:
        return False
    begins = (whole.line, whole.column) <= (span.line, span.column)
    return begins and (span.end_line, span.end_column) <= (whole.end_line, whole.end_column)


def _first_in_its_place(history: History, tensor: int) -> int | None:
    """The result that took the name from a leaf behind it: the tensor itself, or one that it replaced in turn.

    Each replacement has to be earlier than the one it is followed from: two loops over the same tensors in another order
    let each take the name from the other.
    """
    results = history.ancestors(tensor)
    _, name = history.replaced_at.get(tensor) or history.bound[tensor][0]
    current: int | None = tensor
    later = len(history.trace.steps)
    while current is not None:
        step, taken = history.replaced_at.get(current, (0, name))
        previous = history.replaced.get(current)
        if step >= later:
            return None
        later = step
        if previous is None and _made_of_its_name(history, current, name):
            return current
        if previous is None or taken != name:
            return None
        if previous not in results and not (_was_leaf(history, previous, step) and _exchanged(history, results, step)):
            return None
        if _was_leaf(history, previous, step):
            return current
        current = previous
    return None


def _made_of_its_name(history: History, tensor: int, name: str) -> bool:
    """Whether a result's source reads the name that it is given, and meant a leaf that no step names.

    ``state.w = state.w - …`` is so where ``state`` was built by a call: ``SimpleNamespace(w=…)``, a dataclass.
    """
    made = history.trace.tensors[tensor].span
    if "." not in name or re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", history.text(made)) is None:
        return False
    return any(
        not history.bound[source] and history.trace.tensors[source].role in ("leaf", "parameter")
        for source in history.inputs[tensor]
    )


def _exchanged(history: History, results: list[int], step: int) -> bool:
    """Whether the statement that bound a result took names from leaves behind it: ``a, b = b * 2, a * 2``."""
    line, steps = history.line_of(step), history.trace.steps
    for index in range(max(step - SAME_STATEMENT, 0), min(step + SAME_STATEMENT, len(steps))):
        other = steps[index]
        if isinstance(other, events.NameBound) and other.previous in results and history.line_of(index) == line:
            return True
    return False


def _asked_last(name: str, text: str) -> str:
    """The line again, with the flag at its end, where the flag is an argument in it."""
    plain = re.sub(r",\s*requires_grad\s*=\s*True|requires_grad\s*=\s*True\s*,\s*", "", text)
    again = (
        f": `{name} = {grouped(plain)}.requires_grad_()`" if plain != text else ", by requires_grad_() on the result"
    )
    return f"Finish the tensor first and ask for gradients last{again}."


def _item_lost(history: History, tensor: int) -> Answer | None:
    """An entry of a list or dict that stood for a leaf and stands for a result of it."""
    names, made = set(history.trace.tensors[tensor].names), history.made.get(tensor, 0)
    for source in history.ancestors(tensor)[1:]:
        shared = names & set(history.trace.tensors[source].names)
        if shared and _was_leaf(history, source, made):
            return _moved(history, tensor, min(shared), made)
    return None


def _moved(history: History, tensor: int, name: str, step: int) -> Answer:
    """The name of a leaf was given to a result of it at a step."""
    span = history.trace.tensors[tensor].span
    bound = history.trace.steps[step].span
    here = span is not None and bound is not None and span.line == bound.line
    if span is None or not here:  # made elsewhere: inside a function, or with other entries of a list
        span = history.statement(bound) or span
    text = history.text(span)
    given = f"{name} = {text}" if here and "[" not in name else text
    whole = history.statement(bound)
    if here and whole is not None and given not in history.text(whole):  # made by a part of it: in a lambda, say
        given = history.text(whole)
    where = history.line_of(step)
    return Answer(
        "rebound",
        f"`{name}` was a leaf until {where}: there {code(given)} made a result, which is not a leaf, and the name now "
        "means that. The gradients go to the old leaf.",
        updating(history, name, text)
        if "grad" in text
        else f"Give the result another name, or call `{name}.requires_grad_()` only after this line.",
        step,
        span,
    )


def updating(history: History, name: str, text: str) -> str:
    """What to do in place of an update that makes a new tensor, ``w = w - lr * w.grad``."""
    found = re.search(rf"(?<![\w.]){re.escape(name)}\s*([-+*/])", text)
    clear = "" if clears(history, name) else f", and clear `{name}.grad` after it"
    return f"Change the leaf in place: `{name} {found[1] if found else '-'}= …` under `with torch.no_grad()`{clear}."


def _was_leaf(history: History, tensor: int, step: int) -> bool:
    return history.is_leaf(tensor, step) and history.tracked(tensor, step)
