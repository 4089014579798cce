"""Between passes: gradients cleared, set or clipped, parameters moved, learning rates changed."""

from __future__ import annotations

import msgspec

from engine.trace.events.event import Event
from engine.trace.parts import Number, Value


class GradientsZeroed(Event, tag="gradients_zeroed"):
    """``zero_grad()`` or ``t.grad = None`` cleared gradients."""

    tensors: list[int]
    """Whose gradients."""
    to_none: bool
    """True: ``.grad`` is None now; False: it is a tensor of zeros."""


class GradientSet(Event, tag="gradient_set"):
    """``t.grad = g``: the snippet put a gradient there itself."""

    tensor: int
    """Whose ``.grad`` it is."""
    old: Value | None
    """What was there before; None is PyTorch's ``None``."""
    value: Value
    """What is there now."""


class ParameterChange(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """One parameter in one optimizer step."""

    tensor: int
    """The parameter."""
    before: Value
    """Its value before the step."""
    after: Value
    """Its value after the step."""
    gradient: Value | None
    """Its ``.grad`` at the step; None where there was none."""


class OptimizerStepped(Event, tag="optimizer_stepped"):
    """``optimizer.step()`` changed parameters."""

    optimizer: str
    """Class name: ``SGD``."""
    settings: dict[str, Number | bool | None]
    """What it was made with: ``lr``, ``momentum`` …"""
    changes: list[ParameterChange]
    """What it did to each parameter that it changed."""


class SettingChange(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """One setting of one group of an optimizer's parameters, in one step of a schedule."""

    name: str
    """``lr``, or what some schedules move along with it: ``momentum``, ``beta1``."""
    tensors: list[int]
    """The group's parameters."""
    before: Number
    """What it was."""
    after: Number
    """What it is now."""


class ScheduleStepped(Event, tag="schedule_stepped"):
    """``scheduler.step()`` set the learning rates of an optimizer, perhaps to what they were."""

    scheduler: str
    """Class name: ``StepLR``."""
    optimizer: str
    """Class name of the optimizer whose rates they are: ``SGD``."""
    count: int
    """How far in its schedule it is now (PyTorch's ``last_epoch``); 0 at its beginning."""
    begins: bool
    """Whether it was being made: some schedules set a rate of their own at once."""
    settings: dict[str, Number]
    """What it was made with: ``step_size``, ``gamma`` …"""
    changes: list[SettingChange]
    """Each group's learning rate; other settings where they changed."""
    metric: Number | None = None
    """What a schedule was told that watches a number (``ReduceLROnPlateau``)."""
    best: Number | None = None
    """The best such number so far."""
    unimproved: int = 0
    """How often in a row that number had not improved, this time included."""


class GradientsClipped(Event, tag="gradients_clipped"):
    """A function of ``torch.nn.utils`` clips gradients; the writes that follow do it."""

    function: str
    """``clip_grad_norm_`` …"""
    tensors: list[int]
    """Whose gradients."""
    gradients: list[int]
    """The gradients themselves, in the same order."""
    limit: Number
    """``max_norm``, or ``clip_value``."""
    norm_type: Number | None = None
    """Of which order the norm is; None where each element is clipped for itself."""
    norm: Number | None = None
    """The norm of all these gradients together."""
    total: int | None = None
    """The tensor that holds it, where the call returns one."""
    factor: Number | None = None
    """What each gradient is multiplied by; 1 leaves it alone."""
    elements: int = 0
    """How many elements the gradients have, where each is clipped for itself …"""
    beyond: int = 0
    """… and how many of these are beyond the limit."""
