"""What each class of cause means in raw events; a reason holds when its tensor, step and columns bear it out."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.trace import events
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason, Tensor
from engine.trace.elements import carries_gradients, is_zero, sample
from engine.trace.parts import Value

Fact = Callable[[Record, Reason], bool]
FACTS: dict[str, Fact] = {}


def means(*causes: str) -> Callable[[Fact], Fact]:
    """Registers what classes of cause mean."""

    def register(function: Fact) -> Fact:
        FACTS.update(dict.fromkeys(causes, function))
        return function

    return register


def holds(record: Record, reason: Reason) -> bool:
    """Whether a reason's cause is borne out; False too where nobody knows what it means."""
    fact = FACTS.get(reason.cause)
    return fact is not None and fact(record, reason)


def made(record: Record, tensor: int | None) -> events.TensorMade | None:
    """The event that made a tensor."""
    steps = (step for step in record.trace.steps if isinstance(step, events.TensorMade) and step.tensor == tensor)
    return next(steps, None)


def made_at(record: Record, tensor: int | None) -> int:
    """The step at which a tensor was made."""
    return record.trace.tensors[tensor].step if tensor is not None else 0


def tracked(record: Record, tensor: int | None, step: int) -> bool:
    """Whether a tensor requires grad at a step: as made, as switched, or by a recorded write."""
    event = made(record, tensor)
    now = event is not None and event.requires_grad
    for other in record.trace.steps[: step + 1]:
        if isinstance(other, events.RequiresGradChanged) and other.tensor == tensor:
            now = other.requires_grad
        elif (
            isinstance(other, events.ValueWritten)
            and other.node is not None
            and tensor in (other.tensor, *other.shared_with)
        ):
            now = True
    return now


def filled_before(record: Record, reason: Reason) -> list[events.GradientStored]:
    """Every time that a gradient came to the reason's tensor up to its first step."""
    return [step for index, step in record.stored[reason.tensor or 0] if index <= reason.first]


def departed(record: Record, reason: Reason, *ways: str) -> bool:
    """Something left the graph that way in the columns of a reason, or close to them."""
    span = reason.span
    return span is not None and any(
        isinstance(step, events.GraphLeft) and step.how in ways
        for line in range(span.line, span.end_line + 1)
        for step in record.steps_on(line)
    )


def made_there(record: Record, reason: Reason) -> list[Tensor]:
    """The tensors that were made in the columns of a reason."""
    return [row for row in record.trace.tensors if row.span is not None and row.span == reason.span]


def not_finite(value: Value | None) -> bool:
    """Whether a value holds a NaN or an infinite number."""
    return value is not None and bool(
        value.nonfinite or value.nan or any(word in value.text for word in ("nan", "inf"))
    )


# ── why .grad is None or what it is ──────────────────────────────────────────────────────────────────────────────────


@means("backward_not_called")
def _(record: Record, reason: Reason) -> bool:
    """No pass is over that began after the tensor was made, and after its retain_grad(); or one is running just now."""
    if reason.about == "error":
        return True
    since = made_at(record, reason.tensor)
    begun: set[int] = set()
    running: set[int] = set()
    for index, step in enumerate(record.trace.steps[: reason.first + 1]):
        match step:
            case events.RetainAsked(tensor=tensor) if tensor == reason.tensor:
                begun.clear()
            case events.BackwardStarted(call=call):
                running.add(call)
                if index >= since:
                    begun.add(call)
            case events.BackwardEnded(call=call) if index < reason.first:
                running.discard(call)
            case _:
                pass
    return not filled_before(record, reason) and (bool(running) or not begun)


@means("not_a_leaf", "rebound")
def _(record: Record, reason: Reason) -> bool:
    row = record.trace.tensors[reason.tensor or 0]
    return row.grad_fn is not None or any(
        isinstance(step, events.ValueWritten)
        and step.node is not None
        and reason.tensor in (step.tensor, *step.shared_with)
        for step in record.trace.steps
    )


@means("retain_too_late")
def _(record: Record, reason: Reason) -> bool:
    asked = [
        i
        for i, step in enumerate(record.trace.steps)
        if isinstance(step, events.RetainAsked) and step.tensor == reason.tensor
    ]
    passes = [i for i, step in enumerate(record.trace.steps) if isinstance(step, events.BackwardStarted)]
    return bool(asked and passes) and passes[0] < asked[0]


@means("requires_grad_false", "frozen")
def _(record: Record, reason: Reason) -> bool:
    if reason.about == "error":
        return record.trace.outcome.status == "error"
    return not tracked(record, reason.tensor, reason.first)


@means("requires_grad_too_late")
def _(record: Record, reason: Reason) -> bool:
    step = record.trace.steps[reason.step] if reason.step is not None else None
    return isinstance(step, events.RequiresGradChanged) and step.requires_grad


@means("filled")
def _(record: Record, reason: Reason) -> bool:
    return len(filled_before(record, reason)) > 0


@means("accumulated")
def _(record: Record, reason: Reason) -> bool:
    return any(step.old is not None for step in filled_before(record, reason))


@means("assigned")
def _(record: Record, reason: Reason) -> bool:
    return any(isinstance(step, events.GradientSet) and step.tensor == reason.tensor for step in record.trace.steps)


@means("zeroed")
def _(record: Record, reason: Reason) -> bool:
    gradients = {index for index, row in enumerate(record.trace.tensors) if row.gradient_of == reason.tensor}
    return any(
        (isinstance(step, events.GradientsZeroed) and reason.tensor in step.tensors)
        or (isinstance(step, events.ValueWritten) and step.tensor in gradients)
        for step in record.trace.steps[: reason.last + 1]
    )


@means("not_used", "not_reached", "not_asked", "branch_not_taken", "grad_returns", "none_sent", "pass_failed")
def _(record: Record, reason: Reason) -> bool:
    """A pass had begun, and none of those up to here has filled the tensor's gradient where it is said to be None."""
    begun = any(isinstance(step, events.BackwardStarted) for step in record.trace.steps[: reason.first + 1])
    return reason.about != "grad" or (begun and not current_gradient(record, reason))


def current_gradient(record: Record, reason: Reason) -> bool:
    """Whether something is in the tensor's ``.grad`` at the reason's first step."""
    now = False
    for step in record.trace.steps[: reason.first + 1]:
        match step:
            case events.GradientStored(tensor=tensor) | events.GradientSet(tensor=tensor) if tensor == reason.tensor:
                now = True
            case events.GradientsZeroed(tensors=tensors) if reason.tensor in tensors:
                now = False
            case _:
                pass
    return now


@means("zero_gradient")
def _(record: Record, reason: Reason) -> bool:
    """The reason points to zeros that a node, a hook or a sum made of something else, and the gradient is zeros now."""
    sent = record.trace.steps[reason.step or 0]
    if isinstance(sent, events.HookFired):
        made_zero = (
            sent.after is not None and is_zero(sent.after) and sent.before is not None and not is_zero(sent.before)
        )
        return made_zero and is_zero(filled_before(record, reason)[-1].new)
    if isinstance(sent, events.MessagesSummed):
        cancelled = is_zero(sent.value) and not is_zero(sent.before)
        return cancelled and is_zero(filled_before(record, reason)[-1].new)
    if not isinstance(sent, events.MessageSent) or sent.value is None or not is_zero(sent.value):
        return False
    ran = [
        step
        for step in record.trace.steps[: reason.step]
        if isinstance(step, events.NodeRan) and (step.call, step.node) == (sent.call, sent.node)
    ]
    got_something = any(value is not None and not is_zero(value) for value in ran[-1].gradients) if ran else False
    return got_something and is_zero(filled_before(record, reason)[-1].new)


# ── how history was lost ─────────────────────────────────────────────────────────────────────────────────────────────


@means("detach", "data", "item", "tolist", "no_grad", "inference_mode")
def _(record: Record, reason: Reason) -> bool:
    return departed(record, reason, reason.cause)


@means("copied", "not_differentiable")
def _(record: Record, reason: Reason) -> bool:
    """What came of it has no history: a copy, a new leaf, a draw."""
    return departed(record, reason, reason.cause) or any(row.grad_fn is None for row in made_there(record, reason))


@means("integer")
def _(record: Record, reason: Reason) -> bool:
    rows = made_there(record, reason)
    if reason.tensor is not None:
        rows.append(record.trace.tensors[reason.tensor])
    return departed(record, reason, "integer") or any(not carries_gradients(row.dtype) for row in rows)


@means("numpy")
def _(record: Record, reason: Reason) -> bool:
    refused = "numpy" in record.trace.outcome.message
    text = record.source.text(reason.span) if reason.span is not None else ""
    on = "numpy" in text or "np." in text
    handed = departed(record, reason, "numpy") or (on and departed(record, reason, "detach", "data"))
    return handed or (reason.about == "error" and refused)


@means("no_create_graph")
def _(record: Record, reason: Reason) -> bool:
    return any(isinstance(step, events.BackwardStarted) and not step.create_graph for step in record.trace.steps)


@means("leaf")
def _(record: Record, reason: Reason) -> bool:
    return tracked(record, reason.tensor, reason.first) and record.trace.tensors[reason.tensor or 0].grad_fn is None


# ── why this value ───────────────────────────────────────────────────────────────────────────────────────────────────


@means("created", "computed")
def _(record: Record, reason: Reason) -> bool:
    """It was there when the reason begins to hold, with a value."""
    held = record.values[reason.tensor or 0]
    return any(step <= reason.last for step, _ in held)


@means("written")
def _(record: Record, reason: Reason) -> bool:
    return any(
        isinstance(step, events.ValueWritten) and reason.tensor in (step.tensor, *step.shared_with)
        for step in record.trace.steps[: reason.last + 1]
    )


@means("optimizer_step")
def _(record: Record, reason: Reason) -> bool:
    return any(
        index <= reason.first and any(change.tensor == reason.tensor for change in step.changes)
        for index, step in record.updates
    )


@means("nan", "infinite", "gradient_nan", "gradient_infinite")
def _(record: Record, reason: Reason) -> bool:
    step = record.trace.steps[reason.step] if reason.step is not None else None
    match step:
        case events.TensorMade(value=value) | events.ValueWritten(value=value) | events.MessageSent(value=value):
            return not_finite(value)
        case events.GradientStored(new=new):
            return not_finite(new)
        case _:
            return any(not_finite(value) for _, value in record.values[reason.tensor or 0])


# ── errors ───────────────────────────────────────────────────────────────────────────────────────────────────────────

PHRASES = {
    "graph_freed": "a second time",
    "modified_in_place": "modified by an inplace operation",
    "leaf_written": "in-place operation",
    "not_scalar": "scalar outputs",
}
"""What PyTorch's own message says where a cause of errors is told."""


@means(*PHRASES)
def _(record: Record, reason: Reason) -> bool:
    return PHRASES[reason.cause] in record.trace.outcome.message


@means("shape_mismatch", "dtype_mismatch", "syntax", "error", "root_untracked")
def _(record: Record, reason: Reason) -> bool:
    return record.trace.outcome.status == "error"


@means("limit")
def _(record: Record, reason: Reason) -> bool:
    return record.trace.outcome.status == "limit"


# ── said unasked ─────────────────────────────────────────────────────────────────────────────────────────────────────


@means("unused_parameter")
def _(record: Record, reason: Reason) -> bool:
    return not record.stored[reason.tensor or 0]


@means("not_in_optimizer", "not_registered", "made_in_forward")
def _(record: Record, reason: Reason) -> bool:
    held = {change.tensor for _, step in record.updates for change in step.changes}
    return reason.about == "error" or (reason.tensor not in held and bool(record.updates))


@means("nothing_frozen")
def _(record: Record, reason: Reason) -> bool:
    """No flag was changed on the line, and the parameter has been given a gradient."""
    steps = list(record.steps_on(reason.span.line)) if reason.span is not None else []
    changed = any(isinstance(step, events.RequiresGradChanged) for step in steps)
    return bool(steps) and not changed and bool(record.stored[reason.tensor or 0])


@means("no_effect")
def _(record: Record, reason: Reason) -> bool:
    """The statement was reached, and nothing was set, written or bound on its line."""
    steps = list(record.steps_on(reason.span.line)) if reason.span is not None else []
    changing = (
        events.RequiresGradChanged,
        events.GradientsZeroed,
        events.GradientSet,
        events.ValueWritten,
        events.NameBound,
    )
    return bool(steps) and not any(isinstance(step, changing) for step in steps)


@means("aliased")
def _(record: Record, reason: Reason) -> bool:
    """It was kept on a line that was reached, and an update or a pass came after that."""
    kept = reason.step or 0
    later = (events.OptimizerStepped, events.ValueWritten, events.TensorMade)
    on = reason.span is not None and record.reached(reason.span.line)
    return on and any(isinstance(step, later) for step in record.trace.steps[kept:])


@means("frozen_moves")
def _(record: Record, reason: Reason) -> bool:
    """The update changed the tensor, which did not require grad then and had done so before."""
    update = record.trace.steps[reason.step or 0]
    changes = update.changes if isinstance(update, events.OptimizerStepped) else []
    moved = any(change.tensor == reason.tensor and change.before != change.after for change in changes)
    return moved and not tracked(record, reason.tensor, reason.step or 0)


@means("scheduler_elsewhere")
def _(record: Record, reason: Reason) -> bool:
    """A schedule moved on, and what the updates were made with never changed."""
    rates = {str(step.settings.get("lr")) for _, step in record.updates}
    return len(rates) == 1 and any(isinstance(step, events.ScheduleStepped) for step in record.trace.steps)


@means("chain_left_out")
def _(record: Record, reason: Reason) -> bool:
    """The node of a function of the snippet's own ran, and what it got were not ones alone."""
    ran = record.trace.steps[reason.step or 0]
    if not isinstance(ran, events.NodeRan) or reason.tensor not in record.trace.nodes[ran.node].outputs:
        return False
    return any(value is not None and set(sample(value)) != {1} for value in ran.gradients)


@means("optimizer_remade")
def _(record: Record, reason: Reason) -> bool:
    """The line was reached as often as there were updates, all of the same tensors."""
    span = reason.span
    lines = [step for step in record.steps_on(span.line) if isinstance(step, events.Line)] if span is not None else []
    reached = sum(step.span is not None and span is not None and step.span.column == span.column for step in lines)
    held = {tuple(change.tensor for change in step.changes) for _, step in record.updates}
    return reached == len(record.updates) and len(held) == 1


@means("batches_left_out")
def _(record: Record, reason: Reason) -> bool:
    """More results were made on the line of the losses than passes began on the reason's."""
    span, made = reason.span, re.search(r"\(line (\d+)\) computes there", reason.text)
    if span is None or made is None:
        return False
    passes = [step for step in record.steps_on(span.line) if isinstance(step, events.BackwardStarted)]
    lines = [step for step in record.steps_on(int(made[1])) if isinstance(step, events.Line)]
    return 0 < len(passes) < len(lines)


@means("hook_too_late")
def _(record: Record, reason: Reason) -> bool:
    """No pass was begun and no hook ran from the step on at which it was registered."""
    later = record.trace.steps[reason.step or 0 :]
    return not any(isinstance(step, events.BackwardStarted | events.HookFired) for step in later)


@means("one_layer_only")
def _(record: Record, reason: Reason) -> bool:
    """It is a parameter, and a list is multiplied in those columns, which were reached."""
    span = reason.span
    written = (
        span is not None and record.reached(span.line) and re.search(r"\] *\*", record.source.text(span)) is not None
    )
    return written and record.trace.tensors[reason.tensor or 0].role == "parameter"


@means("stale_gradient")
def _(record: Record, reason: Reason) -> bool:
    stored = record.stored[reason.tensor or 0]
    return any(index == reason.step and step.old is not None for index, step in stored)


@means("broadcast_surprise")
def _(record: Record, reason: Reason) -> bool:
    """What it was computed from has several shapes, or had them before it was stretched."""
    event, rows = made(record, reason.tensor), record.trace.tensors
    given = [rows[tensor] for tensor in event.inputs] if event is not None else []
    return len({tuple(row.shape if row.base is None else rows[row.base].shape) for row in given}) > 1


@means("never_stepped")
def _(record: Record, reason: Reason) -> bool:
    return not record.updates and any(record.stored.values())


@means("stepped_first", "scheduler_first", "clipped_late")
def _(record: Record, reason: Reason) -> bool:
    return bool(record.updates)


@means("scheduler_per_batch", "scheduler_per_epoch")
def _(record: Record, reason: Reason) -> bool:
    return reason.span is not None and record.reached(reason.span.line) and ".step(" in record.source.text(reason.span)


@means("one_class_batches")
def _(record: Record, reason: Reason) -> bool:
    return reason.span is not None and "DataLoader" in record.source.text(reason.span)


@means("graph_kept")
def _(record: Record, reason: Reason) -> bool:
    return any(isinstance(step, events.BackwardStarted) for step in record.trace.steps)


@means("eval_mode", "train_mode")
def _(record: Record, reason: Reason) -> bool:
    """The module was last switched to that mode, or never switched where it trains from the start."""
    switched = any(isinstance(step, events.ModeChanged) and step.mode == "training" for step in record.trace.steps)
    return switched or reason.cause == "train_mode"
