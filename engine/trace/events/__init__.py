"""Every event that a step can be, declared once.

A step is one event with one cause (law 1). All events share `Event`: the span and scope that caused it and the words
the narration put on it. The union `Step` is what ``trace.steps`` holds; its tag is ``kind``. Order within one
operation: ``node_made`` (its accumulators first), ``tensor_saved`` per saved name, ``tensor_made`` for each result, and
``name_bound`` when the statement ends.
"""

from __future__ import annotations

from engine.trace.events.backward import (
    BackwardEnded,
    BackwardStarted,
    BroadcastUndone,
    BuffersFreed,
    GradientReturned,
    GradientStored,
    HookFired,
    MessageSent,
    MessagesSummed,
    NodeRan,
    Recalled,
    Recomputed,
)
from engine.trace.events.event import Event
from engine.trace.events.forward import (
    GraphLeft,
    NodeMade,
    RequiresGradChanged,
    RetainAsked,
    TensorMade,
    TensorSaved,
    ValueWritten,
    ViewMade,
)
from engine.trace.events.program import (
    Bookmark,
    Ended,
    Line,
    Mapped,
    ModeChanged,
    NameBound,
    NameUnbound,
    Printed,
    Standing,
    StepsLeftOut,
    Warned,
)
from engine.trace.events.training import (
    GradientsClipped,
    GradientSet,
    GradientsZeroed,
    OptimizerStepped,
    ParameterChange,
    ScheduleStepped,
    SettingChange,
)

Step = (
    Line
    | TensorMade
    | NodeMade
    | TensorSaved
    | NameBound
    | NameUnbound
    | ViewMade
    | ValueWritten
    | RequiresGradChanged
    | RetainAsked
    | GraphLeft
    | ModeChanged
    | Printed
    | Warned
    | Mapped
    | Bookmark
    | BackwardStarted
    | NodeRan
    | MessageSent
    | BroadcastUndone
    | MessagesSummed
    | BuffersFreed
    | HookFired
    | GradientStored
    | GradientReturned
    | BackwardEnded
    | Recomputed
    | Recalled
    | GradientsZeroed
    | GradientSet
    | GradientsClipped
    | OptimizerStepped
    | ScheduleStepped
    | StepsLeftOut
    | Ended
)
"""Any step of a trace, told apart by ``kind``."""

__all__ = [
    "BackwardEnded",
    "BackwardStarted",
    "Bookmark",
    "BroadcastUndone",
    "BuffersFreed",
    "Ended",
    "Event",
    "GradientReturned",
    "GradientSet",
    "GradientStored",
    "GradientsClipped",
    "GradientsZeroed",
    "GraphLeft",
    "HookFired",
    "Line",
    "Mapped",
    "MessageSent",
    "MessagesSummed",
    "ModeChanged",
    "NameBound",
    "NameUnbound",
    "NodeMade",
    "NodeRan",
    "OptimizerStepped",
    "ParameterChange",
    "Printed",
    "Recalled",
    "Recomputed",
    "RequiresGradChanged",
    "RetainAsked",
    "ScheduleStepped",
    "SettingChange",
    "Standing",
    "Step",
    "StepsLeftOut",
    "TensorMade",
    "TensorSaved",
    "ValueWritten",
    "ViewMade",
    "Warned",
]
