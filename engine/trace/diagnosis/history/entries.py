"""What each kind of event adds to the tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.trace import events
from engine.trace.diagnosis.history.tables import Pass, Tables
from engine.trace.elements import is_zero

# ── the program ──────────────────────────────────────────────────────────────────────────────────────────────────────


def line(tables: Tables, index: int, step: events.Line) -> None:
    """A statement was reached."""
    if step.span is not None:
        tables.lines.add((step.span.line, step.span.column))


def name_bound(tables: Tables, index: int, step: events.NameBound) -> None:
    """A name means a tensor, perhaps in another's place."""
    name, tensor, previous = step.name, step.tensor, step.previous
    tables.bound[tensor].append((index, name))
    path = "." in name or "[" in name
    if previous is None and path:
        previous = tables.attributes.get(name)  # set in another function than the one before
    if previous is not None and previous != tensor:
        tables.replaced.setdefault(tensor, previous)
        tables.replaced_at.setdefault(tensor, (index, name))
    if path:
        tables.attributes[name] = tensor


def retain_asked(tables: Tables, index: int, step: events.RetainAsked) -> None:
    """A result shall keep its gradient."""
    tables.retained.setdefault(step.tensor, index)


def requires_grad_changed(tables: Tables, index: int, step: events.RequiresGradChanged) -> None:
    """The flag was switched."""
    tables.switched[step.tensor].append((index, step.requires_grad))


# ── forward ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def tensor_made(tables: Tables, index: int, step: events.TensorMade) -> None:
    """A tensor came to be, from others or from nothing."""
    tables.made.setdefault(step.tensor, index)
    tables.event[step.tensor] = step
    for source in step.inputs:
        tables.link(source, step.tensor)


def graph_left(tables: Tables, index: int, step: events.GraphLeft) -> None:
    """Values went on, and the graph did not."""
    tables.left_from[step.source].append(index)
    if step.result is not None:
        tables.left_with[step.result] = index
        tables.made.setdefault(step.result, index)
        tables.link(step.source, step.result)


def tensor_saved(tables: Tables, index: int, step: events.TensorSaved) -> None:
    """A node holds on to something."""
    tables.saved_at[step.node, step.name] = index


def value_written(tables: Tables, index: int, step: events.ValueWritten) -> None:
    """A storage holds other numbers; zeros in a gradient clear it."""
    owner = tables.trace.tensors[step.tensor].gradient_of
    if owner is not None and is_zero(step.value):
        tables.zeroed[owner].append(index)
        tables.to_zeros.add(index)
    elif owner is not None:
        tables.rewritten[owner].append((index, step))
    for changed in (step.tensor, *step.shared_with):
        tables.written[changed].append((index, step))


# ── backward ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def backward_started(tables: Tables, index: int, step: events.BackwardStarted) -> None:
    """A pass, which ends with the trace unless its end is seen."""
    end = len(tables.trace.steps) - 1
    started = Pass(step.call, index, step.function, step.roots, step.inputs, end, recorded=step.create_graph)
    tables.passes.append(started)


def node_ran(tables: Tables, index: int, step: events.NodeRan) -> None:
    """A node of the pass had its turn."""
    tables.passes[-1].nodes.add(step.node)


def message_sent(tables: Tables, index: int, step: events.MessageSent) -> None:
    """A gradient went on, or none did."""
    if step.value is None:
        tables.none_sent.append((index, step))


def gradient_stored(tables: Tables, index: int, step: events.GradientStored) -> None:
    """A pass has filled a ``.grad``, or added to it."""
    tables.stored[step.tensor].append((index, step))
    if tables.passes:
        tables.passes[-1].reached.add(step.tensor)


def backward_ended(tables: Tables, index: int, step: events.BackwardEnded) -> None:
    """The pass is over, by an exception where the run ended there: in the very call, or before anything was reached."""
    if not tables.passes:
        return
    task = tables.passes[-1]
    task.end, task.freed = index, step.freed
    task.reached.update(step.reached)
    steps, outcome = tables.trace.steps, tables.trace.outcome
    failed = outcome.status == "error" and index >= len(steps) - 2
    task.raised = failed and (not step.reached or outcome.span == steps[task.start].span)


# ── training ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def gradients_zeroed(tables: Tables, index: int, step: events.GradientsZeroed) -> None:
    """Gradients were cleared."""
    for tensor in step.tensors:
        tables.zeroed[tensor].append(index)
    if not step.to_none:
        tables.to_zeros.add(index)


def gradient_set(tables: Tables, index: int, step: events.GradientSet) -> None:
    """The snippet put a gradient there itself."""
    tables.set[step.tensor].append((index, step))


def gradients_clipped(tables: Tables, index: int, step: events.GradientsClipped) -> None:
    """The norm came to be, from gradients, by operations that were not told."""
    value = None if step.total is None else tables.trace.tensors[step.total].value
    if step.total is not None and value is not None:
        made = events.TensorMade(
            span=step.span,
            scope=step.scope,
            tensor=step.total,
            value=value,
            operator=step.function,
            inputs=step.gradients,
        )
        tensor_made(tables, index, made)


def optimizer_stepped(tables: Tables, index: int, step: events.OptimizerStepped) -> None:
    """An update."""
    tables.steps.append((index, step))


ENTRIES: dict[type[events.Event], Callable[[Tables, int, Any], None]] = {
    events.Line: line,
    events.NameBound: name_bound,
    events.RetainAsked: retain_asked,
    events.RequiresGradChanged: requires_grad_changed,
    events.TensorMade: tensor_made,
    events.GraphLeft: graph_left,
    events.TensorSaved: tensor_saved,
    events.ValueWritten: value_written,
    events.BackwardStarted: backward_started,
    events.NodeRan: node_ran,
    events.MessageSent: message_sent,
    events.GradientStored: gradient_stored,
    events.BackwardEnded: backward_ended,
    events.GradientsZeroed: gradients_zeroed,
    events.GradientSet: gradient_set,
    events.GradientsClipped: gradients_clipped,
    events.OptimizerStepped: optimizer_stepped,
}
"""By the class of the event; all others add nothing."""
