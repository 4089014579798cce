"""``torch.random``: seeding and state of the default generator."""

from __future__ import annotations

from engine.ops.random.state import (
    Generator,
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
    thread_safe_generator,
)
from engine.torch.missing import module_getattr as _module_getattr

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
    "thread_safe_generator",
]

__getattr__ = _module_getattr("torch.random", globals())
