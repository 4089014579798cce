"""Why does a tensor hold these numbers, at each step."""

from __future__ import annotations

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.optimizers import where_made
from engine.trace.diagnosis.mistakes.steps import never_stepped
from engine.trace.labels.label import UNBIND
from engine.trace.marks import code
from engine.trace.narration.amounts import listed, shown, times
from engine.trace.narration.writers import writer
from engine.trace.turns import example_number


def why_value(history: History, tensor: int, step: int) -> Answer:
    """How the tensor came to what it holds at a step."""
    written = [(index, write) for index, write in history.written[tensor] if index <= step]
    stepped = [
        (index, update)
        for index, update in history.steps
        if index <= step and any(change.tensor == tensor and change.before != change.after for change in update.changes)
    ]
    if stepped and (not written or stepped[-1][0] > written[-1][0]):
        return _stepped(history, tensor, len(stepped), stepped[-1][0])
    idle = never_stepped(history) if history.stored[tensor] and not history.steps else None
    if idle is not None and history.is_leaf(tensor, history.last):
        return idle[1]
    if _left_alone(history, tensor, step):
        index, update = history.steps[0]
        label = history.label(tensor)
        return Answer(
            "not_in_optimizer",
            f"{label} = {shown(history.trace.tensors[tensor].value)} and never changes: it gets gradients, but no "
            "optimizer has it.",
            f"Give {label} itself (not a copy of it) to the optimizer.",
            index,
            where_made(history, update) or update.span,
        )
    if written:
        index, write = written[-1]
        value = dict(zip(write.shared_with, write.shared_values, strict=False)).get(tensor, write.value)
        return Answer(
            "written",
            f"{history.label(tensor)} = {shown(value)}: {writer(history.source, write)} wrote into it on {history.line_of(index)}.",
            "",
            index,
            write.span,
        )
    return _made(history, tensor)


def _stepped(history: History, tensor: int, count: int, index: int) -> Answer:
    update = next(step for at, step in history.steps if at == index)
    after = next(change.after for change in update.changes if change.tensor == tensor)
    return Answer(
        "optimizer_step",
        f"{history.label(tensor)} = {shown(after)}: {update.optimizer} has changed it {times(count)}{', last' if count > 1 else ''} on "
        f"{history.line_of(index)}.",
        "",
        index,
        update.span,
    )


def _left_alone(history: History, tensor: int, step: int) -> bool:
    """Whether optimizers step, the tensor gets gradients, and none of them ever has it."""
    if not history.steps or history.steps[0][0] > step or not history.stored[tensor] or history.written[tensor]:
        return False
    held = {change.tensor for _, update in history.steps for change in update.changes}
    return tensor not in held and history.is_leaf(tensor, history.last)


def _made(history: History, tensor: int) -> Answer:
    label, made = history.label(tensor), history.made[tensor]
    event, row = history.event.get(tensor), history.trace.tensors[tensor]
    line = history.line_of(made)
    if event is None or not event.inputs:
        return Answer("created", f"{label} = {shown(row.value)}, made on {line}.", "", made, row.span)
    given = listed([f"{history.label(i)} = {shown(history.value(i, made))}" for i in event.inputs[:3]])
    is_slice = example_number(history.trace.scopes[event.scope].title) is not None  # and not what vmap's call gives
    if is_slice or (row.names and not history.is_given_by_its_text(tensor)):
        text = f"{label} = {shown(row.value)}, by {code(event.operator)} in {history.quoted(row.span)} ({line}), from {given}."
        return Answer("computed", text, "", made, row.span)
    if event.operator == UNBIND and history.labels.element(tensor):
        text = f"{label} = {shown(row.value)}, by going through {history.label(event.inputs[0])} ({line})."
        return Answer("computed", text, "", made, row.span)
    text = history.quoted(row.span) or event.operator
    return Answer("computed", f"{label} = {text} = {shown(row.value)} ({line}), from {given}.", "", made, row.span)
