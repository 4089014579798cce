"""Why is ``.grad`` None (or what it is), at each step."""

from __future__ import annotations

import ast

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History, Pass
from engine.trace.diagnosis.tensors.branches import branch_not_taken
from engine.trace.diagnosis.tensors.constants import constant_between
from engine.trace.diagnosis.tensors.cuts import cut_between
from engine.trace.diagnosis.tensors.departures import too_late, untracked
from engine.trace.diagnosis.tensors.lost_leaves import leaf_lost
from engine.trace.diagnosis.tensors.not_called import not_called
from engine.trace.diagnosis.tensors.twins import copy_used, leaf_beyond, replaced
from engine.trace.marks import code
from engine.trace.narration.amounts import listed
from engine.trace.parts import Span


def why_no_grad(history: History, tensor: int, step: int) -> Answer:
    """The cause of ``tensor.grad is None`` at a step."""
    label = history.label(tensor)
    if not history.tracked(tensor, step):
        return untracked(history, tensor, step, "has no .grad")
    if not history.is_leaf(tensor, step):
        return _of_result(history, tensor, step)
    cleared = [index for index in history.zeroed[tensor] if index <= step]
    stored = [index for index, _ in history.stored[tensor] if index <= step]
    if cleared and stored:
        if cleared[-1] in history.to_zeros:
            return Answer(
                "zeroed",
                f"{label}.grad is 0 because it was set to 0 on {history.line_of(cleared[-1])}; no backward pass "
                "has added to it since.",
                f"Read {label}.grad before it is cleared, or run backward() again.",
                cleared[-1],
                history.trace.steps[cleared[-1]].span,
            )
        return Answer(
            "zeroed",
            f"{label}.grad was cleared on {history.line_of(cleared[-1])}; no backward pass has filled it since.",
            f"Read {label}.grad before it is cleared, or run backward() again.",
            cleared[-1],
            history.trace.steps[cleared[-1]].span,
        )
    done = [task for task in history.passes if history.made.get(tensor, 0) < task.start <= step]
    if not done:
        return not_called(history, tensor, step)
    return _of_leaf(history, tensor, step, done[-1])


def _none_sent(history: History, tensor: int, task: Pass, recorded: list[int]) -> Answer | None:
    """A node of the pass sent None where the tensor would have got its gradient from.

    What a custom function computes in its forward() is not recorded, so this is asked before where the graph was left.
    """
    for index, message in history.none_sent:
        row = history.trace.nodes[message.node]
        if task.start < index <= task.end and row.edges[message.slot].tensor in recorded:
            to = history.label(row.edges[message.slot].tensor or 0)
            given = _returned_by_backward(history, index)
            where = "" if given is None else f", as {history.quoted(given)} on line {given.line} says"
            return Answer(
                "none_sent",
                f"{history.label(tensor)} gets no gradient: {row.name} ({history.quoted(row.span)}, "
                f"{history.line_of(row.step)}) sends None to {to}{where}.",
                "Return a gradient for that input from the function's backward().",
                index,
                given or row.span,
            )
    return None


def _returned_by_backward(history: History, step: int) -> Span | None:
    """The ``return`` of the backward() of a custom function that ran last before a step."""
    lines = (event.span for event in reversed(history.trace.steps[:step]) if isinstance(event, events.Line))
    last = next((span for span in lines if span is not None), None)
    for node in history.nodes:
        if isinstance(node, ast.FunctionDef) and node.name in ("backward", "vjp"):
            for part in ast.walk(node):
                if isinstance(part, ast.Return) and last is not None and history.source.span(part) == last:
                    return last
    return None


def _of_result(history: History, tensor: int, step: int) -> Answer:
    label = history.label(tensor)
    made, row = history.made.get(tensor), history.trace.tensors[tensor]
    asked = history.retained.get(tensor)
    before = [task for task in history.passes if task.start <= step]
    if asked is not None and asked <= step:
        too_late = [task for task in before if task.start < asked and came_by(history, tensor, task)]
        if too_late:
            return Answer(
                "retain_too_late",
                f"{label}.retain_grad() on {history.line_of(asked)} came after the backward pass on "
                f"{history.line_of(too_late[-1].start)}: it keeps gradients of passes to come.",
                f"Move {label}.retain_grad() before backward().",
                asked,
                history.trace.steps[asked].span,
            )
        if before and step < before[-1].end:
            where = history.line_of(before[-1].start)
            return Answer(
                "backward_not_called",
                f"The pass on {where} is running and has not reached {label} yet.",
                "",
                before[-1].start,
            )
        return Answer(
            "backward_not_called",
            f"{label} will keep its gradient (retain_grad), but no backward pass has run since.",
            "Call backward() on the loss.",
            asked,
            history.trace.steps[asked].span,
        )
    lost = leaf_lost(history, tensor)
    if lost is not None:
        return lost
    made, span = history.given_name(tensor) or (made, row.span)
    writes = [(index, write) for index, write in history.written[tensor] if write.node is not None and index <= step]
    if writes and row.grad_fn is None:
        return _of_written(history, tensor, *writes[-1])
    text, owner = history.quoted(span) or "an operation", history.outer_name(tensor) or history.expression(tensor)
    keep = f"`{owner}.retain_grad()`" if owner is not None else "retain_grad() on it"
    return Answer(
        "not_a_leaf",
        f"{code(owner) if owner is not None else label} is the result of {text} ({history.line_of(made)}), not a leaf: its "
        "gradient is passed on and not kept.",
        f"Call {keep} before backward() to keep it.",
        made,
        span,
    )


def _of_written(history: History, tensor: int, index: int, write: events.ValueWritten) -> Answer:
    """A tensor that was no result of the graph until something tracked was written into it."""
    label, whole = history.label(tensor), history.statement(write.span) or write.span
    owner = history.expression(tensor)
    keep = f"`{owner}.retain_grad()`" if owner is not None else "retain_grad() on it"
    return Answer(
        "not_a_leaf",
        f"{label} is part of the graph since {history.quoted(whole)} ({history.line_of(index)}) wrote into it, and no leaf: "
        "its gradient is passed on and not kept.",
        f"Call {keep} before backward() to keep it.",
        index,
        whole,
    )


def came_by(history: History, tensor: int, task: Pass) -> bool:
    """Whether a pass started from a tensor, or from what was computed from it."""
    return any(tensor in history.ancestors(root) for root in task.roots)


def _handed_in(history: History, tensor: int, task: Pass) -> bool:
    """Whether a pass was asked for a leaf: itself, or as the argument that a transform (torch.func) makes of it."""
    rows, place = history.trace.tensors, history.trace.steps[task.start].span
    return any(
        other == tensor or (rows[other].base == tensor and rows[other].span == place) for other in task.inputs or ()
    )


def _returned(history: History, tensor: int, task: Pass) -> Answer:
    """A pass of autograd.grad(), or of a transform, was asked for the leaf."""
    label, called = history.label(tensor), history.quoted(history.trace.steps[task.start].span)
    who = "autograd.grad()" if tensor in (task.inputs or ()) else called
    return Answer(
        "grad_returns",
        f"{who} on {history.line_of(task.start)} returns the gradient; it leaves {label}.grad as it was.",
        f"Use what {'grad()' if tensor in (task.inputs or ()) else 'it'} returns, or call backward() to fill .grad.",
        task.start,
        history.trace.steps[task.start].span,
    )


def _of_leaf(history: History, tensor: int, step: int, task: Pass) -> Answer:
    """A leaf that the last pass did not fill."""
    label, started = history.label(tensor), history.trace.steps[task.start]
    where = history.line_of(task.start)
    returned = [done for done in history.passes if done.function == "grad" and done.start <= step]
    to_caller = next((done for done in reversed(returned) if _handed_in(history, tensor, done)), None)
    if task.function == "grad" and to_caller is not None:
        return _returned(history, tensor, to_caller)
    if task.inputs is not None and tensor not in task.inputs:
        asked = listed([history.label(other) for other in task.inputs])
        return Answer(
            "not_asked",
            f"The pass on {where} was asked for {asked} only, so {label}.grad stays None.",
            f"Add {label} to the inputs, or leave them out."
            if task.function == "backward"
            else f"Ask grad() for {label} too, and use what it returns.",
            task.start,
            started.span,
        )
    if step < task.end:
        return Answer(
            "backward_not_called", f"The pass on {where} is running and has not reached {label} yet.", "", task.start
        )
    if task.raised:
        return Answer(
            "pass_failed",
            f"The pass on {where} raised an error before it reached {label}.",
            "Mend the error first.",
            task.start,
            started.span,
        )
    return unreached(history, tensor, task)


def unreached(history: History, tensor: int, task: Pass) -> Answer:
    """A tracked tensor to which no path leads from the roots of a pass: where the way ends, or that there is none."""
    label, started = history.label(tensor), history.trace.steps[task.start]
    where = history.line_of(task.start)
    on = next((index for index, switch in history.switched[tensor] if switch), None)
    early = [user for user in history.users[tensor] if on is not None and history.made.get(user, on) < on]
    if early and on is not None:
        return too_late(history, tensor, early[0], on)
    descendants = history.recorded_descendants(tensor)
    recorded = [other for other in descendants if history.made.get(other, 0) <= task.end] or descendants
    shut = _none_sent(history, tensor, task, recorded) or cut_between(history, tensor, task)
    shut = leaf_beyond(history, tensor, shut) or shut or constant_between(history, tensor, recorded, task)
    if shut is not None:
        return shut
    roots = listed([history.label(root) for root in task.roots])
    thrown = history.statement_of(recorded[-1])
    if thrown is not None:
        return Answer(
            "not_reached",
            f"{label} is used by {history.quoted(thrown)} on line {thrown.line} only, and that result is thrown away: no "
            f"path leads from {roots} to {label}.",
            f"Give the result a name and go on with it: `… = {history.text(thrown)}`.",
            history.made.get(recorded[-1]),
            thrown,
        )
    if len(recorded) > 1:
        last, line = recorded[-1], history.line_of(history.made.get(recorded[-1]))
        unused = "" if history.users[last] else f" ({line}), of which nothing more is computed"
        return Answer(
            "not_reached",
            f"{label} leads to {history.label(last)}{unused}, but backward started from {roots} on {where}, and no "
            f"path leads from there to {label}.",
            f"Call backward() on something computed from {label}, or add it to the loss.",
            task.start,
            started.span,
        )
    branch = branch_not_taken(history, tensor, task.start)
    if branch is not None:
        return branch
    other = replaced(history, tensor, task, roots) or copy_used(history, tensor, task, roots)
    if other is not None:
        return other
    return Answer(
        "not_used",
        f"Nothing that was computed for {roots} uses {label}, so no gradient comes to it.",
        f"Use {label} in the computation of {roots}, or leave it out.",
        history.made.get(tensor),
        history.trace.tensors[tensor].span,
    )
