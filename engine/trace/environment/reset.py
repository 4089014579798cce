"""Brings the engine's process-wide state back to a fresh start, so that a trace depends on its code alone (law 7)."""

from __future__ import annotations

from typing import Any

from engine import dtype as dtypes
from engine.autograd.handles import registered
from engine.autograd.modes import state as modes
from engine.autograd.switches import switches as backward_switches
from engine.nn.conversion import conversion
from engine.ops.core.autocast import state as autocast
from engine.ops.random.state import default_generator
from engine.ops.tensors.switches import switches
from engine.placement import default as default_device
from engine.printing import set_printoptions
from engine.random import DEFAULT_SEED
from engine.torch._weights_only_unpickler import allowed
from engine.warned import given as warnings_given

STATES: tuple[Any, ...] = (
    modes,
    dtypes.defaults,
    switches,
    backward_switches,
    autocast,
    default_device,
    registered,
    conversion,
    warnings_given,
    allowed,
)
"""Objects that hold what programs switch, each made without arguments."""


def reset_engine() -> None:
    """Modes, node numbers, default dtype, print options and random generator as if torch was just imported."""
    for state in STATES:
        type(state).__init__(state)
    default_generator.reseed(DEFAULT_SEED)
    set_printoptions(profile="default")
