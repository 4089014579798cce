"""Mistakes that raise no error: shapes that meet by accident, a penalty that is a constant, a leaf lost to its own update."""

from __future__ import annotations

import math
import re

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.plain_numbers import constant_term
from engine.trace.diagnosis.mistakes.scores import SCORES
from engine.trace.diagnosis.mistakes.watcher import Watcher
from engine.trace.diagnosis.tensors.constants import constant_penalty
from engine.trace.diagnosis.tensors.gradients import why_no_grad
from engine.trace.diagnosis.tensors.lost_leaves import updating
from engine.trace.marks import code
from engine.trace.state import State

LOSSES = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})
DIFFERENCES = frozenset({"sub", "rsub"})
PRODUCTS = frozenset({"mul"})
"""A prediction times its target, as in a cross entropy that is written out."""
REDUCED = frozenset({"mean", "sum", "norm", "linalg_vector_norm", "logsumexp"})
AVERAGED = frozenset(
    {"pow", "square", "abs", "mul", "div", "add", "sub", "neg", "where", "sqrt", "clamp", "log_cosh", "cosh", "log"}
)
"""What a loss does with a difference before and after it is averaged."""
WRITTEN_OUT = frozenset({"log1p", "exp", "softplus", "log_sigmoid", "minimum", "maximum", "clamp_min"})
"""What a cross entropy that is written out does besides."""
LOGARITHMS = frozenset({"log", "log1p", "softplus", "log_sigmoid", "logsumexp"})
"""One of them is in every cross entropy."""
RESHAPED = frozenset({"unsqueeze", "view", "reshape", "index", "slice"})
NOT_A_LEAF = "The .grad attribute of a Tensor that is not a leaf"


def broadcast(history: History, step: events.TensorMade) -> tuple[int, Answer] | None:
    """A loss between tensors of two shapes, or a column minus a row of the same length."""
    if step.operator not in LOSSES | DIFFERENCES | PRODUCTS or len(step.inputs) != 2 or not step.requires_grad:
        return None
    given = [before_expansion(history, tensor, step) for tensor in step.inputs]
    left, right = (history.trace.tensors[tensor].shape for tensor in given)
    surprising = left != right and 1 not in (math.prod(left), math.prod(right))
    if not surprising or (step.operator not in LOSSES and not is_error(history, step, given)):
        return None
    paired = [max(pair) for pair in zip(padded(left, right), padded(right, left), strict=True)]
    return step.tensor, Answer(
        "broadcast_surprise",
        f"{history.label(given[0])} has shape {left} and {history.label(given[1])} has shape {right}: together they "
        f"make {paired}, {'every pair of elements' if column_meets_row(left, right) else 'repeated elements'} instead "
        "of element by element.",
        "Bring both to one shape: `.squeeze(1)` on the column, or `.unsqueeze(1)` on the row."
        if column_meets_row(left, right)
        else "Bring both to one shape, with reshape() or expand_as() where repeating is meant.",
        history.made[step.tensor],
        step.span,
    )


def is_error(history: History, step: events.TensorMade, given: list[int]) -> bool:
    """Whether a column minus a row is meant as prediction minus target: nothing is done with it but to average it.

    A kernel or a table of distances is made on purpose, by other functions or from a column that was just made one.
    """
    rows = history.trace.tensors
    if not column_meets_row(rows[given[0]].shape, rows[given[1]].shape):
        return False
    for tensor in given:
        event = history.event.get(tensor)
        made = event is not None and event.operator in RESHAPED
        if event is not None and made and event.span and step.span and event.span.line == step.span.line:
            return False
    operators = {history.event[user].operator for user in history.recorded_descendants(step.tensor)[1:]}
    if step.operator in PRODUCTS:
        end = history.recorded_descendants(step.tensor)[-1]
        beside = {history.event[other].operator for other in history.ancestors(end) if other in history.event}
        entropy = bool(beside & LOGARITHMS) and operators <= REDUCED | AVERAGED | WRITTEN_OUT
        return bool(operators & REDUCED) and entropy and predicts(history, given)
    return bool(operators & REDUCED) and operators <= REDUCED | AVERAGED


def predicts(history: History, given: list[int]) -> bool:
    """Whether a column that a layer computed meets a row of plain data."""
    column, row = sorted(given, key=lambda tensor: -len(history.trace.tensors[tensor].shape))
    layers = {history.event[other].operator for other in history.ancestors(column) if other in history.event} & SCORES
    return bool(layers) and all(history.trace.tensors[other].role == "constant" for other in history.ancestors(row))


def before_expansion(history: History, tensor: int, loss: events.TensorMade) -> int:
    """What a loss was given, where it stretched that itself."""
    event = history.event.get(tensor)
    stretched = event is not None and event.operator == "expand" and event.span == loss.span
    return event.inputs[0] if stretched and event is not None and event.inputs else tensor


def padded(shape: list[int], other: list[int]) -> list[int]:
    """The shape with ones in front, as long as the longer of the two."""
    return [1] * (len(other) - len(shape)) + shape


def column_meets_row(left: list[int], right: list[int]) -> bool:
    """(n, 1) against (n,)."""
    column, row = (left, right) if len(left) == 2 else (right, left)
    return len(column) == 2 and len(row) == 1 and column[1] == 1 and column[0] == row[0] >= 2


class Surprises(Watcher):
    """Looks at every result of an operation, at PyTorch's warnings, and at what each pass leaves behind."""

    hears = (events.TensorMade, events.Warned, events.BackwardEnded)

    def __init__(self, history: History) -> None:
        super().__init__(history)

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """The tensor concerned and the answer, where something should be said."""
        match step:
            case events.TensorMade():
                return (
                    broadcast(self.history, step)
                    or constant_penalty(self.history, step)
                    or constant_term(self.history, step)
                )
            case events.Warned():
                return empty_grad_read(self.history, state, step)
            case events.BackwardEnded():
                return rebound_leaf(self.history, state)
            case _:
                return None


def empty_grad_read(history: History, state: State, step: events.Warned) -> tuple[int, Answer] | None:
    """``t.grad`` is read of a result: what PyTorch warns of, with the cause."""
    name = re.match(r"([A-Za-z_][\w.]*)\.grad\b", history.text(step.span))
    if NOT_A_LEAF not in step.message or name is None:
        return None
    tensor = state.names.get((state.holder(step.scope), name[1]))
    if tensor is None:
        return None
    answer = why_no_grad(history, tensor, state.step)
    return tensor, Answer(answer.cause, answer.text, answer.fix, state.step, answer.span)


def rebound_leaf(history: History, state: State) -> tuple[int, Answer] | None:
    """A pass is over, and a name that its own update took from a leaf got nothing: ``w = w - lr * w.grad``."""
    for (_, name), tensor in state.names.items():
        leaf = history.replaced.get(tensor)
        if leaf is None or not state.tracked(tensor) or state.is_leaf(tensor) or tensor not in reached(state):
            continue
        rows = history.trace.tensors
        if name in rows[leaf].names and any(rows[other].gradient_of == leaf for other in history.ancestors(tensor)):
            line = history.line_of(history.made.get(tensor))
            return tensor, Answer(
                "rebound",
                f"{code(name)} is not the leaf any more: its update on {line} made a new tensor, the result of an "
                "operation, and this pass leaves its .grad None.",
                updating(history, name, history.text(rows[tensor].span)),
                state.step,
                rows[tensor].span,
            )
    return None


def reached(state: State) -> set[int]:
    """The results through which this pass went."""
    return {output for node in state.ran for output in state.trace.nodes[node].outputs}
