"""Backward passes for nothing: their gradients are cleared before the update that was to add several passes up."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.narration.amounts import times
from engine.trace.parts import Span

OFTEN = 2
"""Passes at one place that must be lost: one may be a trial."""


@dataclass
class Fate:
    """What became of the gradients of one pass."""

    at: Span | None
    """Where the pass was started."""
    waiting: set[int] = field(default_factory=set)
    """Tensors whose gradient is still there, unused."""
    used: bool = False
    cleared: int | None = None
    """The step that cleared the last of them."""


def for_nothing(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: a place whose passes are used by updates now and then, and cleared unused in between."""
    if history.gradients_read or history.trace.folded or not history.steps:
        return []
    fates = list(followed(history).values())
    for place in dict.fromkeys(fate.at for fate in fates):
        own = [fate for fate in fates if fate.at == place]
        lost = [fate.cleared for fate in own if fate.cleared is not None and not fate.used]
        if place is None or len(lost) < OFTEN or not any(fate.used for fate in own):
            continue
        clearing, (last, step) = history.trace.steps[lost[0]], history.steps[-1]
        tensor = next(change.tensor for change in step.changes)
        return [
            (
                tensor,
                Answer(
                    "zeroed",
                    f"The gradients of {history.quoted(place)} (line {place.line}) are cleared {times(len(lost))} on "
                    f"{history.line_of(lost[0])} before any update has used them: {history.quoted(step.span)} on "
                    f"{history.line_of(last)} gets those of the last pass only.",
                    f"Clear only when an update has used them: move {history.line_of(lost[0])} behind "
                    f"{history.line_of(last)}.",
                    lost[0],
                    clearing.span,
                ),
            )
        ]
    return []


def followed(history: History) -> dict[int, Fate]:
    """The fate of every pass, by its number."""
    fates: dict[int, Fate] = {}
    for index, step in enumerate(history.trace.steps):
        match step:
            case events.BackwardStarted(call=call, function="backward"):
                fates[call] = Fate(step.span)
            case events.GradientStored(call=call, tensor=tensor) if call in fates:
                fates[call].waiting.add(tensor)
            case events.OptimizerStepped(changes=changes):
                _use(fates, {change.tensor for change in changes if change.gradient is not None})
            case events.ValueWritten(tensor=tensor, shared_with=shared):
                _use(fates, {tensor, *shared})
            case events.GradientsZeroed(tensors=tensors):
                for fate in fates.values():
                    if fate.waiting and not fate.waiting - set(tensors):
                        fate.cleared = index
                    fate.waiting -= set(tensors)
            case _:
                pass
    return fates


def _use(fates: dict[int, Fate], tensors: set[int]) -> None:
    """Some tensors are changed: whatever gradient of theirs was waiting has had its use."""
    for fate in fates.values():
        if fate.waiting & tensors:
            fate.used = True
            fate.waiting -= tensors
