"""Between passes: gradients cleared or set, and parameters moved."""

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
