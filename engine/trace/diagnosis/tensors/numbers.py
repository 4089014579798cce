"""The first NaN or infinite number: which operation made it, from which inputs, and the usual trap behind it."""

from __future__ import annotations

import dataclasses
import re

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.tensors.spoilt import explained, given_nan, spoilt
from engine.trace.diagnosis.tensors.traps import (
    ALREADY,
    EXPONENT,
    MADE_INFINITE,
    MADE_NAN,
    NOTHING,
    PRODUCTS,
    SAVED,
    SENT,
    STEEP,
    TOO_LARGE,
    WHERE,
    Trap,
)
from engine.trace.document import Edge, Node
from engine.trace.elements import carries_gradients, sample
from engine.trace.narration.amounts import aside, shown
from engine.trace.parts import Value
from engine.trace.state import State

GIVEN = frozenset({"full", "full_like", "masked_fill", "where", "tensor", "Parameter"})
"""Operators that only put in what they were given: a mask of −∞ is meant."""


class BadNumbers:
    """Meets every result and every message, and notes where NaN or an infinite number first comes from.

    Args:
        origins: filled with the answer for each tensor that was made not finite out of finite ones.
    """

    def __init__(self, history: History, origins: dict[int, Answer]) -> None:
        self.history = history
        self.origins = origins

    def hear(self, state: State, step: events.TensorMade | events.MessageSent) -> tuple[int, Answer] | None:
        """The tensor and the answer, where it should be said: an infinite result alone may be meant (a mask)."""
        if isinstance(step, events.TensorMade):
            answer = made_bad(self.history, state, step)
            if answer is None:
                return None
            answer = self._where_it_grew(step, answer)
            self.origins[step.tensor] = answer
            return (step.tensor, answer) if answer.cause == "nan" and not masked(self.history, step.tensor) else None
        answer, row = sent_bad(self.history, state, step), self.history.trace.nodes[step.node]
        target = row.edges[step.slot].tensor
        if answer is None or target is None:
            return None
        traced = explained(self.history, row, answer, self.origins)
        self.history.bad_messages.append((step.call, target, traced))
        return target, dataclasses.replace(answer, fix=traced.fix)

    def _where_it_grew(self, step: events.TensorMade, answer: Answer) -> Answer:
        """A NaN that was made of an infinite number (∞ ÷ ∞, 0 · ∞): what made that is to be mended, not this."""
        behind = (other for given in step.inputs for other in self.history.ancestors(given))
        first = next((self.origins[other] for other in behind if other in self.origins), None)
        if answer.cause != "nan" or first is None or first.cause != "infinite":
            return answer
        fix = f"Mend what is infinite first, on {self.history.line_of(first.step)}: {first.fix[:1].lower()}{first.fix[1:]}"
        return dataclasses.replace(answer, fix=fix)


def masked(history: History, tensor: int) -> bool:
    """Whether a NaN goes no farther: all that is computed from it chooses other numbers (``where``, ``nan_to_num``)."""
    computed = [history.event[user].value for user in history.users[tensor] if user in history.event]
    numbers = [value for value in computed if carries_gradients(value.dtype)]
    return bool(numbers) and not any(value.nan for value in numbers)


def made_bad(history: History, state: State, step: events.TensorMade) -> Answer | None:
    """For an operation that makes NaN out of inputs without any, or infinite numbers out of finite ones."""
    if not step.value.nonfinite or step.operator in GIVEN:
        return None
    inputs = [value for value in map(state.value, step.inputs) if value is not None]
    kind = "nan" if step.value.nan else "infinite"
    if any(value.nan or (kind == "infinite" and value.nonfinite) for value in inputs):
        return None
    if not step.inputs and (step.how == "created" or kind == "nan"):
        return None
    given = " and ".join(f"{history.label(t)} = {shown(v)}" for t, v in zip(step.inputs[:2], inputs, strict=False))
    text = history.quoted(step.span) or step.operator
    trap = (MADE_NAN if kind == "nan" else MADE_INFINITE).get(step.operator, NOTHING)
    what = "NaN" if kind == "nan" else "infinite number"
    return Answer(
        kind,
        f"The first {what} is made by {text} on {history.line_of(state.step)}, from {given}"
        f"{': ' + trap.why if trap.why else ''}.",
        trap.fix,
        state.step,
        step.span,
    )


def sent_bad(history: History, state: State, step: events.MessageSent) -> Answer | None:
    """For a node that makes NaN or infinity out of a finite gradient."""
    ran = state.ran.get(step.node)
    if step.value is None or not step.value.nonfinite or ran is None:
        return None
    arrived = [value for value in ran.gradients if value is not None]
    kind = "nan" if step.value.nan else "inf"
    if any(value.nan or (kind == "inf" and value.nonfinite) for value in arrived):
        return None
    row = history.trace.nodes[step.node]
    edge = row.edges[step.slot]
    to = history.label(edge.tensor) if edge.tensor is not None else "its input"
    trap = why_sent(history, row, edge, arrived, kind)
    word = "NaN" if kind == "nan" else "infinite"
    incoming = aside(arrived[0]) if arrived else "nothing"
    text = (
        f"The gradient turns {word} in {row.name} ({history.quoted(row.span)}, {history.line_of(row.step)}): "
        f"it gets {incoming} and sends {aside(step.value)} to {to}{'; ' + trap.why if trap.why else ''}."
    )
    fix = trap.fix
    if has_zero(arrived) and comes_from_where(history, step.node):
        fix = WHERE
    return Answer("gradient_nan" if kind == "nan" else "gradient_infinite", text, fix, state.step, row.span)


def why_sent(history: History, row: Node, edge: Edge, arrived: list[Value], kind: str) -> Trap:
    """What makes a node's gradient along an edge not finite.

    A whole power has a slope everywhere: its numbers are at fault. The slope for an exponent is another one.
    """
    if any(value.nonfinite for value in arrived):
        return ALREADY
    if row.operator == "pow" and edge.argument == "exponent":
        return EXPONENT
    # A plain number is saved as Python writes it; a tensor of exponents is none.
    exponent = next((saved.text for saved in row.saved if saved.name == "exponent" and saved.tensor is None), "")
    if row.operator == "pow" and re.fullmatch(r"[1-9]\d*(\.0)?", exponent):
        return TOO_LARGE if kind == "inf" else SAVED
    if any(saved.tensor is not None and spoilt(history.trace.tensors[saved.tensor].value) for saved in row.saved):
        return SAVED
    return TOO_LARGE if row.operator in PRODUCTS and kind == "inf" else SENT.get(row.operator, STEEP)


def has_zero(values: list[Value]) -> bool:
    """Whether an element is zero."""
    return any(0 in sample(value) for value in values)


def comes_from_where(history: History, node: int) -> bool:
    """Whether a ``where`` uses what the node made, possibly after other operations."""
    tensors = history.trace.nodes[node].outputs
    later = {user for tensor in tensors for user in history.recorded_descendants(tensor)}
    return any(
        history.trace.tensors[tensor].grad_fn is not None
        and history.trace.nodes[history.trace.tensors[tensor].grad_fn or 0].operator == "where"
        for tensor in later
    )


def why_not_finite(history: History, tensor: int, origins: dict[int, Answer]) -> Answer | None:
    """Where the NaN or the infinite number in a tensor first came from; None where there is none.

    ``origins`` are the answers of `BadNumbers` by tensor.
    """
    value = history.trace.tensors[tensor].value
    if value is None or not value.nonfinite:
        return None
    kind = "nan" if value.nan else "infinite"
    for wanted in (kind, "infinite"):
        for ancestor in history.ancestors(tensor):
            if ancestor in origins and origins[ancestor].cause == wanted:
                return origins[ancestor]
    return given_nan(history, history.ancestors(tensor)) if kind == "nan" else None
