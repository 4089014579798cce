"""Mentions of why a gradient came out as zeros: where an operator is flat, what dropout took out, what a hook gave back."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.trace import events
from engine.trace.claims.reasons.mention import CODE, says
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Node, Reason
from engine.trace.elements import is_zero
from engine.trace.parts import Value

FAR = 3.0
"""From where on a sigmoid or the like may be called level."""


def sender(record: Record, reason: Reason) -> tuple[Node, Value | None, Value | None] | None:
    """(node, its input, the gradient that arrived) of the message that a reason points to."""
    sent = record.trace.steps[reason.step or 0]
    if not isinstance(sent, events.MessageSent):
        return None
    row = record.trace.nodes[sent.node]
    ran = [
        step
        for step in record.trace.steps[: reason.step]
        if isinstance(step, events.NodeRan) and (step.call, step.node) == (sent.call, sent.node)
    ]
    given = row.edges[sent.slot].tensor
    value = record.trace.tensors[given].value if given is not None else None
    return row, value, next(iter(ran[-1].gradients), None) if ran else None


def everywhere(record: Record, reason: Reason, test: Callable[[float], bool]) -> bool:
    """Whether every input of the node passes a test at which a gradient arrived; True where not all are known."""
    found = sender(record, reason)
    if found is None:
        return False
    _, given, arrived = found
    if given is None or arrived is None or given.data is None or arrived.data is None:
        return True
    pairs = zip(given.data, arrived.data, strict=False) if len(given.data) == len(arrived.data) else ()
    return all(test(float(element)) for element, gradient in pairs if gradient != 0)


@says(r"none of its inputs there is above zero(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return everywhere(record, reason, lambda element: element <= 0)


@says(r"what it had saved was overwritten on line (\d+)(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """A step of that line wrote into a tensor that the node had saved."""
    node = sender(record, reason)
    kept = {saved.tensor for saved in node[0].saved} if node is not None else set()
    return any(
        isinstance(step, events.ValueWritten) and kept & {step.tensor, *step.shared_with} and step.span is not None
        and step.span.line == int(found[1])
        for step in record.trace.steps[: reason.step]
    )  # fmt: skip


@says(r"its inputs there are so far from zero that it has levelled out(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return everywhere(record, reason, lambda element: abs(element) >= FAR)


@says(r"(?:all|none) of its inputs there (?:lie outside its limits|is above its bound)(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """Where it has limits, its result is one of them: it takes few values."""
    node = sender(record, reason)
    return node is not None and any(word in node[0].operator for word in ("clamp", "threshold", "hard"))


@says(r"it takes nothing from this side there(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    node = sender(record, reason)
    return node is not None and any(word in node[0].operator for word in ("where", "mask", "min", "max"))


@says(r"it normalises over a single element")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    node = sender(record, reason)
    return node is not None and node[1] is not None and 1 in node[1].shape


@says(r"dropout left none of its inputs there(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """Everything that the product was multiplied with is 0."""
    node = sender(record, reason)
    saved = [entry.tensor for entry in node[0].saved if entry.tensor is not None] if node is not None else []
    values = [record.trace.tensors[tensor].value for tensor in saved]
    return any(value is not None and is_zero(value) for value in values)


@says(rf"the hook {CODE} on line (\d+) gave back zeros")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    fired = record.trace.steps[reason.step or 0]
    return isinstance(fired, events.HookFired) and fired.function == found[1] and bool(record.on_line[int(found[2])])
