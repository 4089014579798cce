"""Brings the engine's process-wide state back to a fresh start, so that a trace depends on its code alone (law 7)."""

from __future__ import annotations

from engine import dtype as dtypes
from engine.autograd.modes import ModeState, state
from engine.ops.core.autocast import state as autocast
from engine.ops.random.state import default_generator
from engine.ops.tensors.switches import switches
from engine.printing import set_printoptions
from engine.random import DEFAULT_SEED
from engine.torch.serialization import files


def reset_engine() -> None:
    """Modes, node numbers, default dtype, print options and random generator as if torch was just imported."""
    fresh = ModeState()
    for name in ModeState.__slots__:
        setattr(state, name, getattr(fresh, name))
    dtypes.defaults.__init__()  # type: ignore[misc]
    default_generator.reseed(DEFAULT_SEED)
    switches.__init__()  # type: ignore[misc]
    autocast.__init__()  # type: ignore[misc]
    set_printoptions(profile="default")
    files.clear()
