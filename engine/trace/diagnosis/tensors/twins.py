"""Another tensor was used in a parameter's place: one that took over its name, or a copy of it."""

from __future__ import annotations

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History, Pass


def replaced(history: History, tensor: int, task: Pass, roots: str) -> Answer | None:
    """A parameter in whose place another was put before the pass (tied weights)."""
    made, names = history.made.get(tensor, 0), history.trace.tensors[tensor].names
    for taken, bindings in history.bound.items():
        for index, name in bindings:
            if taken == tensor or "." not in name or name not in names or not made < index < task.start:
                continue
            return Answer(
                "not_used",
                f"`{name}` means {history.label(taken)} since {history.line_of(index)}. Nothing that was computed for {roots} "
                f"uses the one from {history.line_of(made)} that was called so before, so no gradient comes to it.",
                "That is right where the two are meant to be one.",
                index,
                history.trace.steps[index].span,
            )
    return None


def copy_used(history: History, tensor: int, task: Pass, roots: str) -> Answer | None:
    """A parameter whose deep copy was used in its place (target networks, teachers)."""
    own = history.event.get(tensor)
    wanted = {ancestor for root in task.roots for ancestor in history.ancestors(root)}
    for copy in sorted(wanted):
        event = history.event.get(copy)
        if event is None or own is None or event.operator != "deepcopy" or own.value.data is None:
            continue
        if event.value.data == own.value.data and event.value.shape == own.value.shape:
            return Answer(
                "not_used",
                f"What was computed for {roots} uses {history.label(copy)}, which {history.quoted(event.span)} on "
                f"{history.line_of(history.made[copy])} made as a copy, and not {history.label(tensor)}: no gradient comes to it.",
                f"Use {history.label(tensor)} itself in the computation of {roots}, where it should learn.",
                history.made[copy],
                event.span,
            )
    return None


def leaf_beyond(history: History, tensor: int, shut: Answer | None) -> Answer | None:
    """What was taken out of the graph was made a leaf again (``w.detach().clone().requires_grad_()``), which got the gradient."""
    if shut is None or shut.cause not in ("detach", "data"):
        return None
    for leaf, filled in history.stored.items():
        if filled and leaf != tensor and history.switched[leaf] and tensor in history.ancestors(leaf):
            name, label = history.label(leaf), history.label(tensor)
            return Answer(
                "copied",
                f"{label} gets no gradient: {history.quoted(shut.span)} on {history.line_of(shut.step)} takes its numbers out of "
                f"the graph, and {name}, a new leaf with these numbers, gets the gradient.",
                f"Read {name}.grad, where the gradient is, or compute with {label} itself.",
                shut.step,
                shut.span,
            )
    return None
