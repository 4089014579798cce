"""A plain number that came out of the graph and is added to a loss: it moves the loss and no parameter."""

from __future__ import annotations

import ast

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.tensors.departures import departure

ADDED = frozenset({"add", "sub", "rsub"})
REDUCED = ADDED | {"mul", "div", "mean", "sum", "neg"}
"""What a sum of losses may go through before a pass starts from it."""


def constant_term(history: History, step: events.TensorMade) -> tuple[int, Answer] | None:
    """``loss = mse + 0.1 * weight.norm().item()``, from which a pass starts.

    Nothing is said where the number is the loss's own (``loss - loss.item()``): that takes its value away on purpose.
    """
    if step.operator not in ADDED or not step.requires_grad or len(step.inputs) != 1 or step.value.shape:
        return None
    roots = {root for task in history.passes if task.function == "backward" for root in task.roots}
    if not roots & {step.tensor, *through(history, step.tensor)}:
        return None
    made = history.made[step.tensor]
    for index in range(made - 1, -1, -1):
        left = history.trace.steps[index]
        if not isinstance(left, events.GraphLeft) or left.how != "item" or left.span is None:
            continue
        if left.source in history.ancestors(step.inputs[0]) or not history.tracked(left.source, index):
            continue
        for term in terms(history, step):
            if history.flow.carries(left.span, history.source.span(term)):
                added = history.quoted(history.source.span(term))
                answer = departure(history, index, f"{added} adds nothing that backward could follow: {{lost}}.")
                return step.tensor, Answer(answer.cause, answer.text, answer.fix, made, answer.span)
    return None


def through(history: History, tensor: int) -> list[int]:
    """What is computed from a loss by adding to it and scaling it alone."""
    found = [tensor]
    for one in found:
        found += [
            user
            for user in history.users[one]
            if user not in found and user in history.event and history.event[user].operator in REDUCED
        ]
    return found


def terms(history: History, step: events.TensorMade) -> list[ast.expr]:
    """The two sides of the sum that made a tensor, of ``+=`` the one that is added."""
    for node in history.nodes:
        match node:
            case ast.BinOp(left=left, right=right) if history.source.span(node) == step.span:
                return [left, right]
            case ast.AugAssign(value=value) if history.source.span(node) == step.span:
                return [value]
            case _:
                pass
    return []
