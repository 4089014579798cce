"""Walks a trace and fills in its reasons, its warnings and its error's advice."""

from __future__ import annotations

from collections import defaultdict

from engine.trace import events, unsaid
from engine.trace.diagnosis.answer import Answer, reason_of
from engine.trace.diagnosis.errors.explained import why_error
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.aliases import no_copies
from engine.trace.diagnosis.mistakes.batches import one_class_each
from engine.trace.diagnosis.mistakes.clipping import Clipping
from engine.trace.diagnosis.mistakes.discarded import for_nothing
from engine.trace.diagnosis.mistakes.flags import flags_of_modules
from engine.trace.diagnosis.mistakes.frozen import moves_though_frozen
from engine.trace.diagnosis.mistakes.functions import incoming_left_out
from engine.trace.diagnosis.mistakes.growth import Growth
from engine.trace.diagnosis.mistakes.hooks import nothing_handed_on, registered_late
from engine.trace.diagnosis.mistakes.kept import Carried, piled_up
from engine.trace.diagnosis.mistakes.lost_updates import updates_lost
from engine.trace.diagnosis.mistakes.misplaced import wrong_depth
from engine.trace.diagnosis.mistakes.modes import Modes, training_mode
from engine.trace.diagnosis.mistakes.no_effect import changes_nothing
from engine.trace.diagnosis.mistakes.optimizers import left_out
from engine.trace.diagnosis.mistakes.registration import multiplied
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
from engine.trace.diagnosis.tensors.numbers import BadNumbers
from engine.trace.diagnosis.tensors.reasons import reasons_of
from engine.trace.document import Trace
from engine.trace.marks import marked
from engine.trace.narration.telling import begun
from engine.trace.state import State

TENSORS = 80
"""Most tensors whose reasons are worked out: those with names, in order."""
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
    registered_late,
    incoming_left_out,
    multiplied,
    changes_nothing,
    moves_though_frozen,
    for_nothing,
    no_copies,
    wrong_depth,
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
                trace.reasons += reasons_of(history, tensor, origins)
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
    trace.reasons.append(reason_of(tensor, "value", answer, step, len(trace.steps) - 1, warns=True))
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
    trace.reasons.append(reason_of(tensor, "error", answer, history.last, history.last, warns=True))
