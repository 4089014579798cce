"""Dual levels: inside one, tensors can have tangents."""

from __future__ import annotations

from engine.autograd.forward_switch import Level
from engine.ops.core.tangents import epoch


class dual_level:
    """Inside, `make_dual` gives tensors tangents."""

    __module__ = "torch.autograd.forward_ad"

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exception: object) -> None:
        exit_dual_level()


def enter_dual_level() -> int:
    """Turns forward mode on.

    Raises:
        RuntimeError: levels do not nest.
    """
    if Level.entered:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    Level.apply(entered=True)
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Turns forward mode off; tangents are gone.

    Raises:
        RuntimeError: it was not on, or another level is meant.
    """
    if not Level.entered:
        raise RuntimeError("Dual level must be a positive number.")
    if level not in (None, 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    epoch.number += 1
    Level.apply(entered=False)


def current_level() -> int:
    """Number of the level at work, -1 outside of any."""
    return 0 if Level.entered else -1
