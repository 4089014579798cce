"""How each kind of event changes what is true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.trace import events
from engine.trace.elements import is_zero, zeros_like
from engine.trace.state.moment import Moment

# ── forward ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def tensor_made(now: Moment, step: events.TensorMade) -> None:
    """The tensor is met with what it was made with."""
    now.values[step.tensor] = step.value
    now.versions.setdefault(step.tensor, 0)
    now.requires_grad[step.tensor] = step.requires_grad
    now.grad_fn[step.tensor] = step.node


def node_made(now: Moment, step: events.NodeMade) -> None:
    """The graph grows by a node and its edges."""
    node, row = step.node, now.trace.nodes[step.node]
    if row.leaf is None:
        now.nodes.append(node)
        now.grad_fn.update(dict.fromkeys(row.outputs, node))
    else:
        now.accumulators[row.leaf] = node
    for slot, edge in enumerate(row.edges):
        if edge.node is not None:
            now.consumers.setdefault((edge.node, edge.input_nr), []).append((node, slot))
    for saved in row.saved:
        if saved.tensor is None:
            now.saved[node, saved.name] = saved.text


def tensor_saved(now: Moment, step: events.TensorSaved) -> None:
    """A node holds on to the value of now."""
    now.saved[step.node, step.name] = step.value if step.tensor is None else now.value(step.tensor) or step.value
    if step.tensor is not None and step.version is not None:  # initialisation, which no step tells of, has raised it
        now.versions[now.counter(step.tensor)] = step.version


def value_written(now: Moment, step: events.ValueWritten) -> None:
    """A storage holds other numbers, for every tensor that sees it; a recorded write makes results of them."""
    tensor, trace = step.tensor, now.trace
    seen = {tensor: step.value, **dict(zip(step.shared_with, step.shared_values, strict=False))}
    met = [other for other in seen if other in now.values or other in now.storage]
    root = now.storage.get(met[0], met[0]) if met else tensor
    for other in seen:  # of a gradient, and of what `detach()` made of the untracked, no step has told before
        if other not in met:
            now.storage[other] = root
    now.values.update(seen)
    for other, value in seen.items():
        owner = trace.tensors[other].gradient_of
        if owner is not None:  # the `.grad` itself, or what a view of it was written through
            now.grads[owner] = value
            if is_zero(value):
                now.stored_by.pop(owner, None)
    for other in (tensor, *step.shared_with):
        if now.counter(other) == now.counter(tensor):
            now.versions[other] = step.version_after
    if step.node is not None:
        base = trace.tensors[tensor].base
        now.grad_fn[tensor if base is None else base] = step.node
        for moved in (tensor, *([base] if base is not None else [])):
            now.requires_grad[moved] = True


def view_made(now: Moment, step: events.ViewMade) -> None:
    """A tensor shares the storage of another."""
    now.storage[step.tensor] = now.storage.get(step.base, step.base)
    now.counters[step.tensor] = now.counter(step.base)


def graph_left(now: Moment, step: events.GraphLeft) -> None:
    """A result has no history: the tensor itself (``detach_()``), or one that is met here."""
    source, result = step.source, step.result
    if source == result:
        now.requires_grad[source], now.grad_fn[source] = False, None
    elif result is not None and result not in now.values:
        now.left[result] = step.how
        made = now.trace.tensors[result].value
        if made is not None:
            now.values[result] = made
        now.requires_grad[result], now.grad_fn[result] = False, None
        if step.how in ("detach", "data"):
            now.storage[result] = now.storage.get(source, source)
        if step.how == "detach":
            now.counters[result] = now.counter(source)


# ── the program ──────────────────────────────────────────────────────────────────────────────────────────────────────


def requires_grad_changed(now: Moment, step: events.RequiresGradChanged) -> None:
    """The flag was switched."""
    now.requires_grad[step.tensor] = step.requires_grad


def mode_changed(now: Moment, step: events.ModeChanged) -> None:
    """Operations are recorded, or are not."""
    if step.mode == "grad":
        now.grad_enabled = step.enabled
    elif step.mode == "inference":
        now.inference = step.enabled


def name_bound(now: Moment, step: events.NameBound) -> None:
    """A name means a tensor."""
    now.names[now.holder(step.scope), step.name] = step.tensor


def name_unbound(now: Moment, step: events.NameUnbound) -> None:
    """A name means no tensor."""
    now.names.pop((now.holder(step.scope), step.name), None)


def steps_left_out(now: Moment, step: events.StepsLeftOut) -> None:
    """The graphs that were there are history, and nothing is known of what made the gradients."""
    now.grad_enabled, now.inference = step.grad_enabled, step.inference
    now.finished.update(now.nodes)
    for standing in step.standings:
        now.values[standing.tensor] = standing.value
        now.versions[standing.tensor] = standing.version
        if standing.gradient is not None or standing.tensor in now.grads:
            now.grads[standing.tensor] = standing.gradient
        now.stored_by.pop(standing.tensor, None)


# ── backward ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def backward_started(now: Moment, step: events.BackwardStarted) -> None:
    """What is known in a pass is known of this one from now on."""
    if now.call in now.started and now.call not in now.ended:
        now.suspended.append({name: getattr(now, name) for name in OF_A_PASS})
    now.call = step.call
    now.started[step.call] = now.step
    now.ran, now.arrived, now.unbroadcast, now.sent, now.freed_in_pass = {}, {}, set(), set(), 0
    now.ran_at, now.sent_at = {}, {}


OF_A_PASS = ("call", "ran", "ran_at", "arrived", "unbroadcast", "sent", "sent_at", "freed_in_pass")
"""What is known in a pass, and known again when one that it began itself is over (``grad()`` inside of a ``backward()``)."""


def resume(now: Moment, call: int) -> None:
    """What is known of the pass of this number is known again, if another one ran inside of it."""
    while now.call != call and now.suspended:
        for name, value in now.suspended.pop().items():
            setattr(now, name, value)


def node_ran(now: Moment, step: events.NodeRan) -> None:
    """A node has had its turn."""
    resume(now, step.call)
    now.ran[step.node] = step
    now.ran_at[step.node] = now.step


def message_sent(now: Moment, step: events.MessageSent) -> None:
    """A gradient is on its way along an edge."""
    resume(now, step.call)
    now.sent.add(step.node)
    now.sent_at[step.node, step.slot] = now.step
    now.arrived.setdefault((step.to, step.input_nr), []).append(step)


def broadcast_undone(now: Moment, step: events.BroadcastUndone) -> None:
    """A gradient has the smaller shape of its argument."""
    resume(now, step.call)
    now.unbroadcast.add((step.node, step.slot))


def buffers_freed(now: Moment, step: events.BuffersFreed) -> None:
    """A node holds nothing any more."""
    resume(now, step.call)
    now.freed[step.node] = (step.call, now.step)
    now.freed_in_pass += 1


def gradient_stored(now: Moment, step: events.GradientStored) -> None:
    """A pass has added to a ``.grad``."""
    now.grads[step.tensor] = step.new
    held = now.stored_by.setdefault(step.tensor, [])
    if step.old is None:
        held.clear()
    held.append((step.call, now.step))


def backward_ended(now: Moment, step: events.BackwardEnded) -> None:
    """A graph that was not kept is used up."""
    resume(now, step.call)
    now.ended.add(step.call)
    if step.freed:
        now.finished.update(now.ran)


# ── training ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def gradients_zeroed(now: Moment, step: events.GradientsZeroed) -> None:
    """Gradients are None or zeros, and no pass stands behind them."""
    for tensor in step.tensors:
        now.grads[tensor] = None if step.to_none else zeros_like(now.grads.get(tensor))
        now.stored_by.pop(tensor, None)


def gradient_set(now: Moment, step: events.GradientSet) -> None:
    """The snippet put a gradient there itself."""
    now.grads[step.tensor] = step.value
    now.stored_by.pop(step.tensor, None)


def gradients_clipped(now: Moment, step: events.GradientsClipped) -> None:
    """The norm is there; the writes that follow change the gradients."""
    made = None if step.total is None else now.trace.tensors[step.total].value
    if step.total is not None and made is not None:
        now.values[step.total] = made
        now.requires_grad[step.total], now.grad_fn[step.total] = False, None


def optimizer_stepped(now: Moment, step: events.OptimizerStepped) -> None:
    """Parameters hold other numbers."""
    for change in step.changes:
        now.values[change.tensor] = change.after
        now.versions[change.tensor] = now.versions.get(change.tensor, 0) + 1


EFFECTS: dict[type[events.Event], Callable[[Moment, Any], None]] = {
    events.TensorMade: tensor_made,
    events.NodeMade: node_made,
    events.TensorSaved: tensor_saved,
    events.ValueWritten: value_written,
    events.ViewMade: view_made,
    events.GraphLeft: graph_left,
    events.RequiresGradChanged: requires_grad_changed,
    events.ModeChanged: mode_changed,
    events.NameBound: name_bound,
    events.NameUnbound: name_unbound,
    events.StepsLeftOut: steps_left_out,
    events.BackwardStarted: backward_started,
    events.NodeRan: node_ran,
    events.MessageSent: message_sent,
    events.BroadcastUndone: broadcast_undone,
    events.BuffersFreed: buffers_freed,
    events.GradientStored: gradient_stored,
    events.BackwardEnded: backward_ended,
    events.GradientsZeroed: gradients_zeroed,
    events.GradientSet: gradient_set,
    events.GradientsClipped: gradients_clipped,
    events.OptimizerStepped: optimizer_stepped,
}
"""By the class of the event; all others change nothing."""
