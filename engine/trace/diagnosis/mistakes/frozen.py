"""Parameters that were frozen and move all the same: an optimizer asks for a gradient, and not whether it is required."""

from __future__ import annotations

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.elements import is_zero
from engine.trace.marks import code
from engine.trace.parts import Span


def moves_though_frozen(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: the first update that changed a parameter after its requires_grad was switched off."""
    for index, step in history.steps:
        for change in step.changes:
            off = [at for at, on in history.switched[change.tensor] if not on and at < index]
            if off and change.before != change.after and not history.tracked(change.tensor, index):
                return [(change.tensor, _answer(history, change, step, index, off[-1]))]
    return []


def _answer(
    history: History, change: events.ParameterChange, step: events.OptimizerStepped, index: int, off: int
) -> Answer:
    label, place = history.label(change.tensor), history.trace.steps[off].span
    return Answer(
        "frozen_moves",
        f"requires_grad of {label} was switched off on {history.line_of(off)}, and {history.quoted(step.span)} on "
        f"{history.line_of(index)} still moves it{_by(change, step)}: an optimizer leaves alone only what has no gradient at all.",
        f"Take its gradient away as well when freezing: {code(_taking(history, change.tensor, place))}.",
        index,
        place,
    )


def _taking(history: History, tensor: int, place: Span | None) -> str:
    """What takes the gradients of all that a statement froze."""
    row = history.trace.tensors[tensor]
    owner = history.text(place).partition(".requires_grad")[0]
    if not owner or owner in (row.label, *row.names):
        return f"{owner or row.label}.grad = None"
    return f"for p in {owner}.parameters(): p.grad = None"


def _by(change: events.ParameterChange, step: events.OptimizerStepped) -> str:
    """What moves it."""
    if change.gradient is not None and not is_zero(change.gradient):
        return " by the gradient that it had before"
    names = {"momentum": "momentum", "weight_decay": "weight decay", "betas": "its averages of earlier gradients"}
    found = [word for name, word in names.items() if step.settings.get(name)]
    return f" by {' and '.join(found)}" if found else ""
