"""Walks a trace once and puts words on every step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.trace import events, unsaid
from engine.trace.document import Trace
from engine.trace.narration import (
    backward,
    bindings,
    clipping,
    leaving,
    mapping,
    messages,
    nodes,
    program,
    saving,
    schedule,
    tensors,
    training,
    writing,
)
from engine.trace.narration.calculus import Calculus
from engine.trace.narration.telling import Reader, Telling

Narrator = Callable[[Reader, Any, Telling], None]

NARRATORS: dict[type[events.Event], Narrator] = {
    events.Line: program.line,
    events.TensorMade: tensors.tensor_made,
    events.NodeMade: nodes.node_made,
    events.TensorSaved: saving.tensor_saved,
    events.NameBound: bindings.name_bound,
    events.NameUnbound: bindings.name_unbound,
    events.ViewMade: tensors.view_made,
    events.ValueWritten: writing.value_written,
    events.RequiresGradChanged: program.requires_grad_changed,
    events.RetainAsked: program.retain_asked,
    events.GraphLeft: leaving.graph_left,
    events.ModeChanged: program.mode_changed,
    events.Printed: program.printed,
    events.Warned: program.warned,
    events.Mapped: mapping.mapped,
    events.Bookmark: program.bookmark,
    events.BackwardStarted: backward.backward_started,
    events.NodeRan: backward.node_ran,
    events.MessageSent: messages.message_sent,
    events.BroadcastUndone: messages.broadcast_undone,
    events.MessagesSummed: messages.messages_summed,
    events.BuffersFreed: backward.buffers_freed,
    events.HookFired: backward.hook_fired,
    events.GradientReturned: backward.gradient_returned,
    events.BackwardEnded: backward.backward_ended,
    events.Recomputed: program.recomputed,
    events.Recalled: program.recalled,
    events.GradientsZeroed: training.gradients_zeroed,
    events.GradientSet: training.gradient_set,
    events.GradientsClipped: clipping.gradients_clipped,
    events.ScheduleStepped: schedule.schedule_stepped,
    events.OptimizerStepped: training.optimizer_stepped,
    events.StepsLeftOut: program.steps_left_out,
    events.Ended: program.ended,
}
"""Who tells which step. `events.GradientStored` is told with the pass's calculus at hand."""


def narrate(trace: Trace) -> None:
    """Puts text, detail, formula and claims on every step, in place."""
    reader = Reader(trace)
    calculus = Calculus(reader)
    for index, step in enumerate(trace.steps):
        tell = Telling()
        try:
            reader.advance(step)
            calculus.hear(step)
            if isinstance(step, events.GradientStored):
                backward.gradient_stored(reader, step, tell, calculus)
            else:
                NARRATORS[type(step)](reader, step, tell)
        except Exception as error:  # noqa: BLE001 (whatever it is, it costs this step's words only)
            unsaid.note(trace, "narration", error, step=index)
            unsaid.say_nothing_of(trace, index)
        else:
            tell.put(step)
