"""Whether results get tangents: a dual level is entered (`engine.transforms.dual_level`), and forward mode is not switched off."""

from __future__ import annotations

from engine.autograd.modes import state


class Level:
    """Whether a dual level was entered, and whether forward mode is wanted at all; operators look at both at once."""

    entered = False
    enabled = True

    @classmethod
    def apply(cls, *, entered: bool | None = None, enabled: bool | None = None) -> None:
        """Changes either."""
        cls.entered = cls.entered if entered is None else entered
        cls.enabled = cls.enabled if enabled is None else enabled
        state.forward_level = int(cls.entered and cls.enabled)
        state.refresh()


def is_fwd_grad_enabled() -> bool:
    """Whether results get tangents, once a level is entered."""
    return Level.enabled


def set_fwd_grad_enabled(enabled: bool) -> None:
    """Says whether results get tangents."""
    Level.apply(enabled=enabled)


class _set_fwd_grad_enabled:
    """``with _set_fwd_grad_enabled(False)``: inside, results get no tangents."""

    def __init__(self, mode: bool) -> None:
        self.before = Level.enabled
        Level.apply(enabled=mode)

    def __enter__(self) -> None:
        """Already in force."""

    def __exit__(self, *exception: object) -> None:
        Level.apply(enabled=self.before)
