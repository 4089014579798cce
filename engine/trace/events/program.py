"""The program's own steps: lines, names, modes, output, what was not kept, and the end."""

from __future__ import annotations

from typing import Literal

import msgspec

from engine.trace.events.event import Event
from engine.trace.parts import Value


class Line(Event, tag="line"):
    """A statement of the snippet is about to run."""

    times: int = 1
    """How often this line has been reached, this time included."""


class NameBound(Event, tag="name_bound"):
    """A variable or attribute now means another tensor."""

    name: str
    """The variable, or the path to it: ``w``, ``model.fc1.weight``."""
    tensor: int
    """The tensor it means now."""
    previous: int | None = None
    """The tensor the name meant before."""


class NameUnbound(Event, tag="name_unbound"):
    """A variable is gone (``del``) or no longer means a tensor."""

    name: str
    """The variable that is gone."""
    previous: int
    """The tensor it meant."""


class ModeChanged(Event, tag="mode_changed"):
    """Gradient mode, inference mode, or a module's training flag was switched."""

    mode: Literal["grad", "inference", "training"]
    """Which mode."""
    enabled: bool
    """Whether it is on now."""
    module: str = ""
    """For training: which module."""


class Printed(Event, tag="printed"):
    """The snippet wrote to standard output (or standard error)."""

    output: str
    """What was written, line ends included."""
    stream: Literal["stdout", "stderr"] = "stdout"
    """Where it was written."""


class Warned(Event, tag="warned"):
    """PyTorch or Python warned."""

    category: str
    """Python's class of the warning: ``UserWarning``."""
    message: str
    """What it says."""


class Mapped(Event, tag="mapped"):
    """``vmap`` runs a function for every example of a batch; the examples follow, each in a scope of its own."""

    size: int
    """How many examples there are."""
    tensors: list[int]
    """The tensors that each example gets a slice of."""
    dims: list[int]
    """Of which dimension, in the same order."""
    whole: list[int]
    """The tensors that every example gets whole."""


class Bookmark(Event, tag="bookmark"):
    """``breakpoint()`` was reached; here it marks a step and the run goes on."""


class Standing(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """How a tensor stands after steps that were not kept."""

    tensor: int
    """The tensor."""
    value: Value
    """What it holds now."""
    version: int
    """Its version now."""
    gradient: Value | None
    """Its ``.grad`` now."""


class StepsLeftOut(Event, tag="steps_left_out"):
    """The run went on here while its steps were not kept; what changed meanwhile is told at once."""

    statements: int
    """How many statements ran."""
    passes: int
    """How many backward passes ran."""
    output: str
    """What was printed to standard output."""
    standings: list[Standing]
    """The tensors known from before that changed or have a gradient, as they are now."""
    grad_enabled: bool
    """Whether operations are recorded now."""
    inference: bool
    """Whether inference mode is on now."""


class Ended(Event, tag="ended"):
    """The last step of every trace."""

    status: Literal["ok", "error", "limit"]
    """As in the outcome."""
