"""Walks a trace and fills in its reasons, its warnings and its error's advice."""

from __future__ import annotations

from engine.trace import events
from engine.trace.diagnosis.departures import Answer, untracked
from engine.trace.diagnosis.errors import why_error
from engine.trace.diagnosis.gradients import ledger, why_no_grad
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.numbers import made_nan, sent_bad, why_nan
from engine.trace.diagnosis.training import Training, left_out
from engine.trace.document import Reason, Trace
from engine.trace.narration.telling import shown, times
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
    said = f"{answer.text} {answer.fix}".strip()
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
    trace.outcome.advice = f"{answer.text} {answer.fix}".strip()
    trace.reasons.append(_reason(tensor or 0, "error", answer, history.last, history.last, warns=True))


def _tensor(history: History, tensor: int, origins: dict[int, Answer]) -> None:
    """Reasons for one tensor's gradient, grad_fn and value."""
    trace, made = history.trace, history.made[tensor]
    changes = _changes(history, tensor)
    stretches: list[tuple[int, int, Answer]] = []
    for start, end in zip(changes, [*(change - 1 for change in changes[1:]), history.last], strict=True):
        filled = history.grad(tensor, start) is not None
        answer = ledger(history, tensor, start) if filled else why_no_grad(history, tensor, start)
        if stretches and stretches[-1][2].text == answer.text:
            stretches[-1] = (stretches[-1][0], end, answer)
        else:
            stretches.append((start, end, answer))
    for start, end, answer in stretches:
        trace.reasons.append(_reason(tensor, "grad", answer, start, end))
    missing = _why_no_grad_fn(history, tensor)
    if missing is not None:
        trace.reasons.append(_reason(tensor, "grad_fn", missing, made, history.last))
    value = trace.tensors[tensor].value
    origin = why_nan(history, tensor, origins) if value is not None and value.nan else None
    trace.reasons.append(_reason(tensor, "value", origin or _why_value(history, tensor), made, history.last))


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


def _why_value(history: History, tensor: int) -> Answer:
    """How the tensor came to what it holds at the end of the trace."""
    label, made = history.label(tensor), history.made[tensor]
    event, row = history.event.get(tensor), history.trace.tensors[tensor]
    written = history.written[tensor]
    stepped = [
        (index, step) for index, step in history.steps if any(change.tensor == tensor for change in step.changes)
    ]
    held = {change.tensor for _, step in history.steps for change in step.changes}
    if history.steps and tensor in history.stored and tensor not in held and history.is_leaf(tensor, history.last):
        index, step = history.steps[0]
        return Answer(
            "not_in_optimizer",
            f"{label} = {shown(row.value)} and never changes: it gets gradients, but no optimizer has it.",
            f"Give {label} itself (not a copy of it) to the optimizer.",
            index,
            step.span,
        )
    if stepped and (not written or stepped[-1][0] > written[-1][0]):
        index, step = stepped[-1]
        after = next(change.after for change in step.changes if change.tensor == tensor)
        return Answer(
            "optimizer_step",
            f"{label} = {shown(after)}: {step.optimizer} changed it {times(len(stepped))}, last on "
            f"{history.line_of(index)}.",
            "",
            index,
            step.span,
        )
    if written:
        index, write = written[-1]
        return Answer(
            "written",
            f"{label} = {shown(write.value)}: {write.operator} wrote into it on {history.line_of(index)}.",
            "",
            index,
            write.span,
        )
    if event is None or not event.inputs:
        return Answer("created", f"{label} = {shown(row.value)}, made on {history.line_of(made)}.", "", made, row.span)
    given = " and ".join(f"{history.label(i)} = {shown(history.trace.tensors[i].value)}" for i in event.inputs[:3])
    text = history.text(row.span) or event.operator
    return Answer(
        "computed",
        f"{label} = {text} = {shown(row.value)} ({history.line_of(made)}), from {given}.",
        "",
        made,
        row.span,
    )


def _reason(tensor: int, about: str, answer: Answer, first: int, last: int, warns: bool = False) -> Reason:
    return Reason(
        tensor=tensor,
        about=about,  # type: ignore[arg-type]
        cause=answer.cause,
        first=first,
        last=last,
        text=answer.text,
        span=answer.span,
        fix=answer.fix,
        step=answer.step,
        warns=warns,
    )
