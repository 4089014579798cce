"""The first place where values went on from a leaf to a pass's roots and the graph did not."""

from __future__ import annotations

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History, Pass
from engine.trace.diagnosis.tensors.departures import departure, goes_on, is_unrecorded, unrecorded
from engine.trace.narration.amounts import listed
from engine.trace.spans import within


def cut_between(history: History, tensor: int, task: Pass, sentence: str = "") -> Answer | None:
    """The first departure on a way of values from the leaf to the roots of a pass, and on that way the last one.

    ``sentence`` says what follows, unless it is that the leaf gets no gradient.
    (Where a drawn index is used to look up a recorded number that is then detached, only the detach() shuts the way.)
    """
    sentence = sentence or f"{history.label(tensor)} gets no gradient"
    wanted: set[int] = set()
    for root in task.roots:
        wanted.update(history.ancestors(root))
    recorded = history.recorded_descendants(tensor)
    for passed in recorded:
        copy = next((other for other in sorted(wanted) if _is_parameter_of(history, other, passed)), None)
        if copy is not None and not _leaves_there(history, recorded, copy):
            return _copied(history, passed, copy, sentence)
    left = [
        step
        for passed in recorded
        for step in _departures(history, passed)
        if step <= task.end and _leads_to(history, step, wanted)
    ]
    unsaid = [user for passed in recorded for user in history.users[passed] if _unsaid(history, user, wanted)]
    for step in left:
        later = [other for other in left if other > step]
        if not any(_leads_to(history, step, set(history.ancestors(_source(history, other)))) for other in later):
            return departure(history, step, f"{sentence}: {{lost}}.")
    return unrecorded(history, unsaid[0], sentence) if unsaid else None


def copied_away(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: leaves that no pass reached, because ``torch.tensor()`` made a new leaf of what they led to."""
    if history.trace.outcome.status != "ok" or history.trace.folded:
        return []
    held = {change.tensor for _, step in history.steps for change in step.changes}
    for tensor, filled in history.stored.items():
        step = history.left_with.get(tensor)
        left = history.trace.steps[step] if step is not None else None
        if not filled or step is None or not isinstance(left, events.GraphLeft) or left.how != "copied":
            continue
        behind = history.ancestors(tensor)[1:]
        leaves = [leaf for leaf in behind if history.is_leaf(leaf, step) and history.tracked(leaf, step)]
        if leaves and is_term(history, tensor):
            names = listed([history.label(leaf) for leaf in reversed(leaves)])
            sentence = f"No gradient comes to {names} through {history.label(tensor)}: {{lost}}."
            return [(leaves[-1], departure(history, step, sentence))]
        if leaves and not any(history.stored[leaf] or history.set[leaf] or leaf in held for leaf in leaves):
            names = listed([history.label(leaf) for leaf in reversed(leaves)])
            sentence = f"{names} {'gets' if len(leaves) == 1 else 'get'} no gradient: {{lost}}."
            return [(leaves[-1], departure(history, step, sentence))]
    return []


def is_term(history: History, tensor: int) -> bool:
    """Whether a copy of a result is one number of a loss, and nobody asks for its own gradient."""
    row = history.trace.tensors[tensor]
    source = history.inputs[tensor]
    if row.shape or not source or history.is_leaf(source[0], history.last) or history.gradients_read & set(row.names):
        return False
    if any(task.inputs is not None for task in history.passes):
        return False
    added = [history.event[user].operator for user in history.recorded_descendants(tensor)[1:] if user in history.event]
    return bool(added) and set(added) <= {"add", "sub", "mul", "div", "mean", "neg", "sum"}


def _departures(history: History, tensor: int) -> list[int]:
    """The steps at which something left the graph that was computed from a tensor, alone or with others, in order."""
    beside = [history.left_with[user] for user in history.users[tensor] if user in history.left_with]
    return sorted({*history.left_from[tensor], *beside})


def _source(history: History, step: int) -> int:
    left = history.trace.steps[step]
    assert isinstance(left, events.GraphLeft)
    return left.source


def _leads_to(history: History, step: int, wanted: set[int]) -> bool:
    """Whether what left the graph at a step went into one of the tensors."""
    left = history.trace.steps[step]
    assert isinstance(left, events.GraphLeft)
    return left.result in wanted or any(goes_on(history, step, other) for other in sorted(wanted))


def _leaves_there(history: History, recorded: list[int], copy: int) -> bool:
    """Whether something is taken out of the graph in the very call that makes a parameter: ``nn.Parameter(w.data)``."""
    span = history.trace.tensors[copy].span
    steps = (history.trace.steps[step] for passed in recorded for step in history.left_from[passed])
    return span is not None and any(step.span is not None and within(step.span, span) for step in steps)


def _unsaid(history: History, user: int, wanted: set[int]) -> bool:
    return user in wanted and is_unrecorded(history, user)


def _copied(history: History, passed: int, copy: int, sentence: str) -> Answer:
    """The answer for an nn.Parameter around the numbers of a tracked tensor."""
    event = history.event[copy]
    return Answer(
        "copied",
        f"{sentence}: {history.quoted(event.span)} on {history.line_of(history.made[copy])} makes a new leaf of "
        f"the numbers of {history.label(passed)}.",
        f"Use {history.label(passed)} itself in the computation.",
        history.made[copy],
        event.span,
    )


def _is_parameter_of(history: History, tensor: int, source: int) -> bool:
    """Whether it is an nn.Parameter around the numbers of a tracked tensor that was made just before."""
    event, other = history.event.get(tensor), history.event.get(source)
    if event is None or other is None or event.operator != "Parameter" or not other.requires_grad:
        return False
    return history.made[source] < history.made[tensor] and event.value.data == other.value.data is not None
