"""Brings the engine's process-wide state back to a fresh start, so that a trace depends on its code alone (law 7)."""

from __future__ import annotations

from engine import dtype as dtypes
from engine.autograd.modes import ModeState, state
from engine.random import generator


def reset_engine() -> None:
    """Modes, node numbers, default dtype and random generator as in a process that just imported torch."""
    fresh = ModeState()
    for name in ModeState.__slots__:
        setattr(state, name, getattr(fresh, name))
    dtypes.defaults.__init__()  # type: ignore[misc]
    reset_generator()


def reset_generator() -> None:
    """The default generator as PyTorch seeds it when nobody else does."""
    default = getattr(generator, "default_generator", None)
    if default is not None:
        default.reseed(generator.DEFAULT_SEED)
