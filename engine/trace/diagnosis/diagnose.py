"""Walks a trace and fills in its reasons, its warnings and its error's advice."""

from __future__ import annotations

from collections.abc import Callable

from engine.trace import events
from engine.trace.diagnosis.departures import Answer, untracked
from engine.trace.diagnosis.errors import why_error
from engine.trace.diagnosis.gradients import ledger, why_no_grad
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.numbers import made_nan, sent_bad, why_nan
from engine.trace.diagnosis.training import Training, left_out
from engine.trace.diagnosis.values import why_value
from engine.trace.document import Reason, Trace
from engine.trace.marks import marked
from engine.trace.state import State

TENSORS = 80
"""Most tensors whose reasons are worked out: those with names, in order."""
CHANGES = 40
"""Most stretches of steps per tensor and question."""


def diagnose(trace: Trace) -> None:
    """Fills in ``trace.reasons``, the steps' warnings and the outcome's advice, in place."""
    history = History(trace)
    state = State(trace)
    origins: dict[int, Answer] = {}
    warnings = _watch(history, state, origins)
    for tensor, answer in left_out(history):
        warnings.append((tensor, answer))
    for tensor, answer in warnings:
        _warn(trace, tensor, answer)
    _error(history, state)
    trace.outcome.advice = marked(trace.outcome.advice)
    named = [index for index, row in enumerate(trace.tensors) if history.bound.get(index) or row.names]
    for tensor in named[:TENSORS]:
        if tensor in history.made and trace.tensors[tensor].role != "gradient":
            _tensor(history, tensor, origins)


def _watch(history: History, state: State, origins: dict[int, Answer]) -> list[tuple[int, Answer]]:
    """What should be said unasked, in order; the first NaN and the first bad gradient only."""
    training = Training(history)
    found: list[tuple[int, Answer]] = []
    told: set[str] = set()
    for step in history.trace.steps:
        state.advance(step)
        heard = training.hear(state, step)
        if heard is not None:
            found.append(heard)
        if isinstance(step, events.TensorMade):
            answer = made_nan(history, state, step)
            tensor = step.tensor
            if answer is not None:
                origins[tensor] = answer
        elif isinstance(step, events.MessageSent):
            answer = sent_bad(history, state, step)
            target = history.trace.nodes[step.node].edges[step.slot].tensor
            tensor = target if target is not None else 0
        else:
            continue
        if answer is not None and answer.cause not in told:
            told.add(answer.cause)
            found.append((tensor, answer))
    return found


def _warn(trace: Trace, tensor: int, answer: Answer) -> None:
    """A reason that is said unasked, at its step."""
    step = len(trace.steps) - 1 if answer.step is None else answer.step
    trace.reasons.append(_reason(tensor, "value", answer, step, len(trace.steps) - 1, warns=True))
    said = marked(f"{answer.text} {answer.fix}".strip())
    already = trace.steps[step].warning
    trace.steps[step].warning = f"{already} {said}" if already else said


def _error(history: History, state: State) -> None:
    """The error's own reason; its fix becomes the outcome's advice."""
    trace = history.trace
    if trace.outcome.status != "error":
        return
    found = why_error(history, state)
    if found is None:
        return
    tensor, answer = found
    trace.outcome.advice = marked(f"{answer.text} {answer.fix}".strip())
    trace.reasons.append(_reason(tensor or 0, "error", answer, history.last, history.last, warns=True))


def _tensor(history: History, tensor: int, origins: dict[int, Answer]) -> None:
    """Reasons for one tensor's gradient, grad_fn and value."""
    trace, made = history.trace, history.made[tensor]

    def grad_at(step: int) -> Answer:
        filled = history.grad(tensor, step) is not None
        return ledger(history, tensor, step) if filled else why_no_grad(history, tensor, step)

    value = trace.tensors[tensor].value
    origin = why_nan(history, tensor, origins) if value is not None and value.nan else None

    def value_at(step: int) -> Answer:
        return origin or why_value(history, tensor, step)

    for start, end, answer in _stretches(history, _changes(history, tensor), grad_at):
        trace.reasons.append(_reason(tensor, "grad", answer, start, end))
    missing = _why_no_grad_fn(history, tensor)
    if missing is not None:
        trace.reasons.append(_reason(tensor, "grad_fn", missing, made, history.last))
    for start, end, answer in _stretches(history, _writes(history, tensor), value_at):
        trace.reasons.append(_reason(tensor, "value", answer, start, end))


def _stretches(
    history: History, changes: list[int], answer_at: Callable[[int], Answer]
) -> list[tuple[int, int, Answer]]:
    """(first step, last step, answer): the answer at each change, joined where it stays the same."""
    found: list[tuple[int, int, Answer]] = []
    for start, end in zip(changes, [*(change - 1 for change in changes[1:]), history.last], strict=True):
        answer = answer_at(start)
        if found and found[-1][2].text == answer.text:
            found[-1] = (found[-1][0], end, answer)
        else:
            found.append((start, end, answer))
    return found


def _writes(history: History, tensor: int) -> list[int]:
    """Steps from which the tensor holds other numbers, and its making."""
    steps = {history.made[tensor], *(index for index, _ in history.written[tensor])}
    steps.update(index for index, step in history.steps if any(change.tensor == tensor for change in step.changes))
    if history.steps and tensor in history.stored:
        steps.add(history.steps[0][0])
    ordered = sorted(step for step in steps if step >= history.made[tensor])
    return ordered if len(ordered) <= CHANGES else [*ordered[: CHANGES - 1], ordered[-1]]


def _changes(history: History, tensor: int) -> list[int]:
    """Steps from which the answer about ``.grad`` may be another."""
    made = history.made[tensor]
    steps = {made, *history.zeroed[tensor], *(index for index, _ in history.stored[tensor])}
    steps.update(index for index, _ in history.switched[tensor])
    if tensor in history.retained:
        steps.add(history.retained[tensor])
    for task in (*history.passes[:CHANGES], *history.passes[-1:]):
        steps.update((task.start, task.end))
    return sorted(step for step in steps if step >= made)[:CHANGES]


def _why_no_grad_fn(history: History, tensor: int) -> Answer | None:
    made = history.made[tensor]
    if not history.is_leaf(tensor, history.last):
        return None
    if history.tracked(tensor, made):
        label = history.label(tensor)
        return Answer(
            "leaf",
            f"{label} is a leaf: you made it ({history.line_of(made)}). A grad_fn belongs to results of operations.",
            "",
            made,
            history.trace.tensors[tensor].span,
        )
    return untracked(history, tensor, made, "has no grad_fn")


def _reason(tensor: int, about: str, answer: Answer, first: int, last: int, warns: bool = False) -> Reason:
    return Reason(
        tensor=tensor,
        about=about,  # type: ignore[arg-type]
        cause=answer.cause,
        first=first,
        last=last,
        text=marked(answer.text),
        span=answer.span,
        fix=marked(answer.fix),
        step=answer.step,
        warns=warns,
    )
