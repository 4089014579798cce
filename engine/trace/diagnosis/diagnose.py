"""Walks a trace and fills in its reasons, its warnings and its error's advice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Literal

from engine.trace import events, unsaid
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.errors.explained import why_error
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.batches import one_class_each
from engine.trace.diagnosis.mistakes.clipping import Clipping
from engine.trace.diagnosis.mistakes.flags import flags_of_modules
from engine.trace.diagnosis.mistakes.growth import Growth
from engine.trace.diagnosis.mistakes.hooks import nothing_handed_on
from engine.trace.diagnosis.mistakes.kept import Carried, piled_up
from engine.trace.diagnosis.mistakes.lost_updates import updates_lost
from engine.trace.diagnosis.mistakes.modes import Modes, training_mode
from engine.trace.diagnosis.mistakes.optimizers import left_out
from engine.trace.diagnosis.mistakes.relus import Relus
from engine.trace.diagnosis.mistakes.schedulers import out_of_schedule
from engine.trace.diagnosis.mistakes.scores import Scores
from engine.trace.diagnosis.mistakes.sizes import Sizes
from engine.trace.diagnosis.mistakes.steps import out_of_step
from engine.trace.diagnosis.mistakes.surprises import Surprises
from engine.trace.diagnosis.mistakes.symmetry import Symmetry
from engine.trace.diagnosis.mistakes.updates import Updates
from engine.trace.diagnosis.mistakes.uphill import goes_uphill
from engine.trace.diagnosis.mistakes.watcher import Watcher
from engine.trace.diagnosis.mistakes.zero_rates import rate_is_zero
from engine.trace.diagnosis.tensors.cuts import copied_away
from engine.trace.diagnosis.tensors.departures import departure, untracked
from engine.trace.diagnosis.tensors.gradients import why_no_grad
from engine.trace.diagnosis.tensors.ledger import ledger
from engine.trace.diagnosis.tensors.numbers import BadNumbers, why_not_finite
from engine.trace.diagnosis.tensors.values import why_value
from engine.trace.document import Reason, Trace
from engine.trace.marks import marked
from engine.trace.narration.telling import begun
from engine.trace.state import State

TENSORS = 80
"""Most tensors whose reasons are worked out: those with names, in order."""
CHANGES = 40
"""Most stretches of steps per tensor and question."""
WATCHERS: tuple[type[Watcher], ...] = (
    Updates,
    Clipping,
    Relus,
    Modes,
    Sizes,
    Growth,
    Symmetry,
    Scores,
    Surprises,
    Carried,
)

AT_THE_END = (
    left_out,
    copied_away,
    flags_of_modules,
    out_of_step,
    out_of_schedule,
    one_class_each,
    training_mode,
    piled_up,
    rate_is_zero,
    updates_lost,
    goes_uphill,
    nothing_handed_on,
)
"""What can be said only once the whole run is known."""


def diagnose(trace: Trace) -> None:
    """Fills in ``trace.reasons``, the steps' warnings and the outcome's advice, in place."""
    history = History(trace)
    state = State(trace)
    origins: dict[int, Answer] = {}
    for tensor, answer in (*_watch(history, state, origins), *_look_back(history)):
        _warn(trace, tensor, answer)
    try:
        _error(history, state)
    except Exception as error:  # noqa: BLE001 (the message and its advice stay)
        unsaid.note(trace, "reasons", error)
    trace.outcome.advice = marked(trace.outcome.advice)
    named = [index for index, row in enumerate(trace.tensors) if history.bound.get(index) or row.names]
    for tensor in named[:TENSORS]:
        if tensor in history.made and trace.tensors[tensor].role != "gradient":
            try:
                _tensor(history, tensor, origins)
            except Exception as error:  # noqa: BLE001 (it costs the answers about this tensor only)
                unsaid.note(trace, "reasons", error, about=trace.tensors[tensor].label)


def _look_back(history: History) -> list[tuple[int, Answer]]:
    """What should be said unasked now that the whole run is known."""
    found = []
    for question in AT_THE_END:
        try:
            found += question(history)
        except Exception as error:  # noqa: BLE001 (it costs the answers to this question only)
            unsaid.note(history.trace, "warnings", error, about=question.__name__)
    return found


def _watch(history: History, state: State, origins: dict[int, Answer]) -> list[tuple[int, Answer]]:
    """What should be said unasked, in order: each kind once per place; the first NaN and the first bad gradient only."""
    listening: dict[type, list[Watcher]] = defaultdict(list)
    for kind in WATCHERS:
        watcher = kind(history)
        for event in kind.hears:
            listening[event].append(watcher)
    bad = BadNumbers(history, origins)
    found: list[tuple[int, Answer]] = []
    told: set[tuple[str, object]] = set()
    for step in history.trace.steps:
        state.advance(step)
        for watcher in tuple(listening.get(type(step), ())):
            try:
                heard = watcher.hear(state, step)
            except Exception as error:  # noqa: BLE001 (it costs what this watcher has to say)
                unsaid.note(history.trace, "warnings", error, about=type(watcher).__name__)
                for event in watcher.hears:
                    listening[event].remove(watcher)
                continue
            if heard is not None:
                key = (heard[1].cause, heard[1].span or heard[0])
                if key not in told:
                    told.add(key)
                    found.append(heard)
        if isinstance(step, events.TensorMade | events.MessageSent):
            first = bad.hear(state, step)
            if first is not None and (first[1].cause, None) not in told:
                told.add((first[1].cause, None))
                found.append(first)
    return found


def _warn(trace: Trace, tensor: int, answer: Answer) -> None:
    """A reason that is said unasked, at its step."""
    step = len(trace.steps) - 1 if answer.step is None else answer.step
    trace.reasons.append(_reason(tensor, "value", answer, step, len(trace.steps) - 1, warns=True))
    said = begun(marked(f"{answer.text} {answer.fix}".strip()))
    already = trace.steps[step].warning
    trace.steps[step].warning = f"{already} {said}" if already else said


def _error(history: History, state: State) -> None:
    """The error's own reason; its fix becomes the outcome's advice."""
    trace = history.trace
    if trace.outcome.status == "ok" or history.last < 0:
        return
    tensor, answer = why_error(history, state)
    if answer.fix != trace.outcome.advice:  # else the message says what is wrong, and the advice what to do
        trace.outcome.advice = begun(marked(f"{answer.text} {answer.fix}".strip()))
    trace.reasons.append(_reason(tensor, "error", answer, history.last, history.last, warns=True))


def _tensor(history: History, tensor: int, origins: dict[int, Answer]) -> None:
    """Reasons for one tensor's gradient, grad_fn and value."""
    trace, made = history.trace, history.made[tensor]

    def grad_at(step: int) -> Answer:
        filled = history.grad(tensor, step) is not None
        return ledger(history, tensor, step) if filled else why_no_grad(history, tensor, step)

    origin = why_not_finite(history, tensor, origins)

    def value_at(step: int) -> Answer:
        return origin or why_value(history, tensor, step)

    for start, end, answer in _stretches(history, _changes(history, tensor), grad_at):
        trace.reasons.append(_reason(tensor, "grad", answer, start, end))
    missing = _why_no_grad_fn(history, tensor)
    since = _leaf_since(history, tensor)
    if missing is not None:
        taken = history.left_with[tensor] if _taken_out(history, tensor) else made
        last = history.last if since is None else since - 1
        trace.reasons.append(_reason(tensor, "grad_fn", missing, taken, last))
    if since is not None:
        trace.reasons.append(_reason(tensor, "grad_fn", _is_leaf(history, tensor, since), since, history.last))
    for start, end, answer in _stretches(history, _writes(history, tensor), value_at):
        trace.reasons.append(_reason(tensor, "value", answer, start, end))


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
        return _is_leaf(history, tensor, made)
    return untracked(history, tensor, made, "has no grad_fn")


def _leaf_since(history: History, tensor: int) -> int | None:
    """The step that made a leaf of a tensor which did not require grad when it was made; None for every other tensor."""
    if not history.is_leaf(tensor, history.last) or history.tracked(tensor, history.made[tensor]):
        return None
    switched = next((index for index, on in history.switched[tensor] if on), None)
    return switched if switched is not None and history.tracked(tensor, history.last) else None


def _is_leaf(history: History, tensor: int, since: int) -> Answer:
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


def _reason(
    tensor: int | None,
    about: Literal["grad", "grad_fn", "value", "error"],
    answer: Answer,
    first: int,
    last: int,
    warns: bool = False,
) -> Reason:
    return Reason(
        tensor=tensor,
        about=about,
        cause=answer.cause,
        first=first,
        last=last,
        text=begun(marked(answer.text)),
        span=answer.span,
        fix=marked(answer.fix),
        step=answer.step,
        warns=warns,
    )
