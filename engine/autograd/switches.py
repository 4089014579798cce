"""Switches of the backward engine that are scopes too: ``torch.autograd.set_multithreading_enabled`` and its kin.

Each acts when it is made, restores what was before when its ``with`` ends, and decorates functions.
"""

from __future__ import annotations

from typing import Any, ClassVar

from engine.autograd.modes import Function, _Decorator, state
from engine.errors import require_bool


class Switches:
    """What is on."""

    __slots__ = ("layout_enforced", "multithreading")

    def __init__(self) -> None:
        self.multithreading = True
        """PyTorch's backward may use several threads; ours has one, and only remembers what was asked."""
        self.layout_enforced = True
        """Whether a stored gradient always gets its tensor's strides."""


switches = Switches()


class Switch(_Decorator):
    """Sets one of `Switches` or of the modes; subclasses say which.

    Raises:
        TypeError: the value is no bool.
    """

    which: ClassVar[str]
    holder: ClassVar[Any] = switches

    def __init__(self, mode: bool) -> None:
        require_bool(mode, type(self).__name__, "enabled", 1)
        self.prev, self.mode = getattr(self.holder, self.which), mode
        self.turn(mode)

    def turn(self, mode: bool) -> None:
        """Sets it."""
        setattr(self.holder, self.which, mode)
        state.refresh()

    def __enter__(self) -> None:
        self.turn(self.mode)

    def __exit__(self, *exception: object) -> None:
        self.turn(self.prev)

    def __call__(self, function: Function) -> Function:
        """Decorates: the switch at construction was not meant."""
        self.turn(self.prev)
        return super().__call__(function)

    def _again(self) -> _Decorator:
        return type(self)(self.mode)

    def clone(self) -> Any:
        """Another scope with the same setting."""
        return type(self)(self.mode)


class set_multithreading_enabled(Switch):
    """``torch.autograd.set_multithreading_enabled(mode)``."""

    which = "multithreading"


class _force_original_view_tracking(Switch):
    """``torch.autograd._force_original_view_tracking(mode)``."""

    which = "view_replay"
    holder = state


class enforce_grad_layout_policy(Switch):
    """``torch.autograd.enforce_grad_layout_policy(enable)``."""

    which = "layout_enforced"

    def __init__(self, enable: bool = True) -> None:
        super().__init__(enable)


def is_multithreading_enabled() -> bool:
    """Whether backward may use several threads."""
    return switches.multithreading


def is_view_replay_enabled() -> bool:
    """Whether written views get back their own view operations."""
    return state.view_replay


for _scope in (set_multithreading_enabled, _force_original_view_tracking, enforce_grad_layout_policy):
    _scope.__module__ = "torch.autograd.grad_mode"
