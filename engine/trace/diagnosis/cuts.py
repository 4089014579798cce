"""The first place where values went on from a leaf to a pass's roots and the graph did not."""

from __future__ import annotations

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.departures import departure, goes_on, is_unrecorded, unrecorded
from engine.trace.diagnosis.history import History, Pass


def cut_between(history: History, tensor: int, task: Pass) -> Answer | None:
    """The first departure on a way of values from the leaf to the roots of a pass."""
    sentence = f"{history.label(tensor)} gets no gradient"
    wanted: set[int] = set()
    for root in task.roots:
        wanted.update(history.ancestors(root))
    for passed in history.recorded_descendants(tensor):
        copy = next((other for other in sorted(wanted) if _is_parameter_of(history, other, passed)), None)
        if copy is not None:
            event = history.event[copy]
            return Answer(
                "copied",
                f"{sentence}: {history.quoted(event.span)} on {history.line_of(history.made[copy])} makes a new leaf of "
                f"the numbers of {history.label(passed)}.",
                f"Use {history.label(passed)} itself in the computation.",
                history.made[copy],
                event.span,
            )
        for step in history.left_from[passed]:
            left = history.trace.steps[step]
            if step > task.end or not isinstance(left, events.GraphLeft):
                continue
            if left.result in wanted or any(goes_on(history, step, other) for other in sorted(wanted)):
                return departure(history, step, f"{sentence}: {{lost}}.")
        for user in history.users[passed]:
            if user in wanted and is_unrecorded(history, user):
                return unrecorded(history, user, sentence)
    return None


def _is_parameter_of(history: History, tensor: int, source: int) -> bool:
    """Whether it is an nn.Parameter around the numbers of a tracked tensor that was made just before."""
    event, other = history.event.get(tensor), history.event.get(source)
    if event is None or other is None or event.operator != "Parameter" or not other.requires_grad:
        return False
    return history.made[source] < history.made[tensor] and event.value.data == other.value.data is not None
