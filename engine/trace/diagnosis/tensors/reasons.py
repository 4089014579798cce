"""Why a tensor's gradient, grad_fn and value are what they are: every reason, with the stretch of steps in which it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.trace import events
from engine.trace.diagnosis.answer import Answer, reason_of
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.tensors.departures import departure, untracked
from engine.trace.diagnosis.tensors.gradients import why_no_grad
from engine.trace.diagnosis.tensors.ledger import ledger
from engine.trace.diagnosis.tensors.numbers import why_not_finite
from engine.trace.diagnosis.tensors.values import why_value
from engine.trace.document import Reason

CHANGES = 40
"""Most stretches of steps per tensor and question."""


def reasons_of(history: History, tensor: int, origins: dict[int, Answer]) -> Iterator[Reason]:
    """The reasons for one tensor.

    Args:
        origins: for each tensor that was made not finite out of finite ones, why (`BadNumbers`).
    """
    made = history.made[tensor]

    def grad_at(step: int) -> Answer:
        filled = history.grad(tensor, step) is not None
        return ledger(history, tensor, step) if filled else why_no_grad(history, tensor, step)

    origin = why_not_finite(history, tensor, origins)

    def value_at(step: int) -> Answer:
        return origin or why_value(history, tensor, step)

    for start, end, answer in _stretches(history, _changes(history, tensor), grad_at):
        yield reason_of(tensor, "grad", answer, start, end)
    missing = _why_no_grad_fn(history, tensor)
    since = _leaf_since(history, tensor)
    if missing is not None:
        taken = history.left_with[tensor] if _taken_out(history, tensor) else made
        last = history.last if since is None else since - 1
        yield reason_of(tensor, "grad_fn", missing, taken, last)
    if since is not None:
        yield reason_of(tensor, "grad_fn", _why_a_leaf(history, tensor, since), since, history.last)
    for start, end, answer in _stretches(history, _writes(history, tensor), value_at):
        yield reason_of(tensor, "value", answer, start, end)


def _stretches(
    history: History, changes: list[int], answer_at: Callable[[int], Answer]
) -> list[tuple[int, int, Answer]]:
    """(first step, last step, answer): the answer at each change, joined where it stays the same.

    Of many changes, those at the beginning and at the end of the run are answered; what lies between has no answer.
    """
    stretches = list(zip(changes, [*(change - 1 for change in changes[1:]), history.last], strict=True))
    if len(stretches) > CHANGES:
        stretches = [*stretches[: CHANGES // 2], *stretches[-CHANGES // 2 :]]
    found: list[tuple[int, int, Answer]] = []
    for start, end in stretches:
        answer = answer_at(start)
        if found and found[-1][2].text == answer.text and found[-1][1] + 1 == start:
            found[-1] = (found[-1][0], end, answer)
        else:
            found.append((start, end, answer))
    return found


def _writes(history: History, tensor: int) -> list[int]:
    """Steps from which the tensor holds other numbers, and its making."""
    steps = {history.made[tensor], *(index for index, _ in history.written[tensor])}
    steps.update(index for index, step in history.steps if any(change.tensor == tensor for change in step.changes))
    if history.steps and history.stored[tensor]:
        steps.add(history.steps[0][0])
    return sorted(step for step in steps if step >= history.made[tensor])


def _changes(history: History, tensor: int) -> list[int]:
    """Steps from which the answer about ``.grad`` may be another."""
    made = history.made[tensor]
    steps = {made, *history.zeroed[tensor], *(index for index, _ in history.stored[tensor])}
    steps.update(index for index, _ in (*history.switched[tensor], *history.set[tensor], *history.rewritten[tensor]))
    steps.update(index for index, write in history.written[tensor] if write.node is not None)
    if tensor in history.retained:
        steps.add(history.retained[tensor])
    for task in history.passes:
        steps.update((task.start, task.end))
    return sorted(step for step in steps if step >= made)


def _taken_out(history: History, tensor: int) -> bool:
    """Whether it was a result until it was taken out of the graph in place (``detach_()``)."""
    at = history.left_with.get(tensor)
    left = history.trace.steps[at] if at is not None else None
    return (
        isinstance(left, events.GraphLeft) and left.source == tensor and history.tracked(tensor, history.made[tensor])
    )


def _why_no_grad_fn(history: History, tensor: int) -> Answer | None:
    made = history.made[tensor]
    if not history.is_leaf(tensor, history.last):
        return None
    if _taken_out(history, tensor):
        return departure(history, history.left_with[tensor], f"{history.label(tensor)} has no grad_fn: {{lost}}.")
    if history.tracked(tensor, made):
        return _why_a_leaf(history, tensor, made)
    return untracked(history, tensor, made, "has no grad_fn")


def _leaf_since(history: History, tensor: int) -> int | None:
    """The step that made a leaf of a tensor which did not require grad when it was made; None for every other tensor."""
    if not history.is_leaf(tensor, history.last) or history.tracked(tensor, history.made[tensor]):
        return None
    switched = next((index for index, on in history.switched[tensor] if on), None)
    return switched if switched is not None and history.tracked(tensor, history.last) else None


def _why_a_leaf(history: History, tensor: int, since: int) -> Answer:
    """Why a leaf has no grad_fn; ``since`` is the step from which on it is one."""
    made, label = history.made[tensor], history.label(tensor)
    how = f"you made it ({history.line_of(made)})"
    if since != made:
        how = f"it requires grad since {history.line_of(since)}, and nothing before that was recorded"
    return Answer(
        "leaf",
        f"{label} is a leaf: {how}. A grad_fn belongs to results of operations.",
        "",
        since,
        history.trace.steps[since].span if since != made else history.trace.tensors[tensor].span,
    )
