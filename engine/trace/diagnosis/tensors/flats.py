"""Where operators are flat: why one has no slope at its inputs, and what to change.

``there`` in the sentences is where a gradient arrives: at other places the operator may well have a slope.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.trace.diagnosis.history import History
from engine.trace.document import Node
from engine.trace.elements import sample


@dataclass(frozen=True, slots=True)
class Flat:
    """Why an operator has no slope, and the change that mends it."""

    why: str
    fix: str


STEP = Flat(
    "it is flat there",
    "Use something with a slope there; to pass a gradient straight through a flat step, add `x - x.detach()`.",
)
"""Flat between its steps; also what is said where nothing more exact is known."""
BELOW_ZERO = Flat(
    "none of its inputs there is above zero",
    "Use a smaller learning rate or another start, or `F.leaky_relu`, which is never flat; a penalty that is met "
    "(a hinge loss) needs no mending.",
)
BELOW = Flat("none of its inputs there is above its bound", BELOW_ZERO.fix)
OUTSIDE = Flat(
    "all of its inputs there lie outside its limits",
    "Use a smaller learning rate or another start, or leave the limits out while training.",
)
LEVEL = Flat(
    "its inputs there are so far from zero that it has levelled out",
    "Start with smaller weights, or scale the data so that its inputs are near zero (subtract the mean, divide by the "
    "spread).",
)
ALONE = Flat(
    "it normalises over a single element, which is all there is whatever the scores are",
    "For two classes with one score use sigmoid (`binary_cross_entropy_with_logits`), or give every class a score.",
)
ALONE_OF_LAYER = Flat(
    "it takes each number's mean and spread over a single element, and what is left of that is 0 whatever it was",
    "Normalise over several features, or leave this layer out.",
)
PADDING = Flat(
    "all that it looks up there is the padding row, which never gets a gradient",
    "Look at what the indices are made of: as they are, they ask for no other row.",
)
CHOSEN = Flat(
    "it takes nothing from this side there",
    "Look at what chooses (the condition, the mask, the other side): as it is, this side does not move the result.",
)
FLATS: dict[Flat, str] = {
    BELOW_ZERO: "relu",
    BELOW: "threshold clamp_min",
    OUTSIDE: "clamp hardtanh hardsigmoid",
    LEVEL: "sigmoid tanh softmax log_softmax erf silu gelu softplus elu exp log_sigmoid hardswish mish",
    CHOSEN: "where masked_fill minimum maximum fmin fmax masked_scatter",
}
"""The operators of each kind."""
BY_OPERATOR = {operator: flat for flat, operators in FLATS.items() for operator in operators.split()}


def why_flat(history: History, row: Node) -> Flat:
    """Why a node that multiplied by a slope of 0 has none."""
    if row.operator in ("softmax", "log_softmax") and alone(history, row):
        return ALONE
    if row.operator == "native_layer_norm" and kept(row, "normalized_shape") == "[1]":
        return ALONE_OF_LAYER
    if row.operator == "embedding" and kept(row, "padding_idx") != "-1":
        return PADDING
    return BY_OPERATOR.get(row.operator, STEP)


def kept(row: Node, name: str) -> str:
    """How a plain value that a node saved is written."""
    return next((saved.text for saved in row.saved if saved.name == name), "")


def alone(history: History, row: Node) -> bool:
    """Whether a softmax gave the whole to every element: there is one along its dimension."""
    value = history.trace.tensors[row.outputs[0]].value if row.outputs else None
    whole = 1 if row.operator == "softmax" else 0
    return value is not None and bool(sample(value)) and all(element == whole for element in sample(value))
