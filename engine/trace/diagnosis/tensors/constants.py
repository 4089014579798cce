"""Gradients that are used like results and have no history: ``create_graph=True`` was left out."""

from __future__ import annotations

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History, Pass

ADDED = frozenset({"add", "sub", "rsub"})


def gradient_behind(history: History, tensor: int) -> int | None:
    """The gradient that an untracked tensor was computed from (or is), where a pass that is not recorded gave it."""
    rows = history.trace.tensors
    for ancestor in history.ancestors(tensor):
        if rows[ancestor].role == "gradient" and not history.tracked(ancestor, rows[ancestor].step):
            return ancestor if _pass_of(history, ancestor) is not None else None
    return None


def without_history(history: History, gradient: int, sentence: str) -> Answer:
    """The answer for what follows from such a gradient."""
    task = _pass_of(history, gradient)
    assert task is not None
    return after_pass(history, task, sentence, history.label(gradient))


def after_pass(history: History, task: Pass, sentence: str, label: str = "the gradient") -> Answer:
    """The answer for what follows from a gradient of a pass that is not recorded."""
    started = history.trace.steps[task.start]
    where = history.line_of(task.start)
    call = "`torch.autograd.grad(…, create_graph=True)`" if task.function == "grad" else "`backward(create_graph=True)`"
    return Answer(
        "no_create_graph",
        f"{sentence}: {label} comes from the pass on {where}, which is not recorded, so it is a constant.",
        f"Ask for a gradient that can be differentiated again: {call} on {where}.",
        task.start,
        started.span,
    )


def constant_between(history: History, tensor: int, recorded: list[int], task: Pass) -> Answer | None:
    """The gradient that stands between a leaf and the roots of a pass, where the pass that gave it was not recorded.

    Args:
        tensor: the leaf.
        recorded: what the graph connects with it.
        task: the pass that did not reach it.
    """
    for root in task.roots:
        gradient = gradient_behind(history, root)
        given_by = _pass_of(history, gradient) if gradient is not None else None
        if gradient is not None and given_by is not None and set(given_by.roots) & set(recorded):
            return without_history(history, gradient, f"{history.label(tensor)} gets no gradient")
    return None


def _pass_of(history: History, gradient: int) -> Pass | None:
    """The pass that gave a gradient: the last one before the tensor was first seen."""
    step = history.trace.tensors[gradient].step
    before = [task for task in history.passes if task.start < step]
    return before[-1] if before and not before[-1].recorded else None


def constant_penalty(history: History, step: events.TensorMade) -> tuple[int, Answer] | None:
    """A number made of gradients alone is added to a loss, which a pass then starts from: it cannot change a parameter."""
    if step.operator not in ADDED or not step.requires_grad or len(step.inputs) != 2 or step.value.shape:
        return None
    made = history.made[step.tensor]
    untracked = [tensor for tensor in step.inputs if not history.tracked(tensor, made)]
    if len(untracked) != 1 or history.trace.tensors[untracked[0]].shape:
        return None
    gradient = gradient_behind(history, untracked[0])
    roots = {root for task in history.passes if task.function == "backward" for root in task.roots}
    if gradient is None or not roots & set(history.descendants(step.tensor)):
        return None
    if history.trace.tensors[gradient].gradient_of in step.inputs:
        return None  # an update, w - 0.1 * w.grad: no penalty
    label = history.label(untracked[0])
    answer = without_history(history, gradient, f"{label} adds nothing that backward could follow")
    return step.tensor, Answer(answer.cause, answer.text, answer.fix, made, answer.span)
