"""``torch.profiler``: programs that measure themselves run, and are told the times of this engine's operators."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from engine.torch.missing import module_getattr
from engine.utils.profiling.session import record_function
from engine.utils.profiling.steps import ProfilerAction, profile


class ProfilerActivity(enum.Enum):
    """What is measured where."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """What to do in a step: wait, warm up, then record, over and over (``repeat`` times, if it is not 0)."""

    def action(step: int) -> ProfilerAction:
        if step < skip_first:
            return ProfilerAction.NONE
        turn, place = divmod(step - skip_first + (wait if skip_first_wait else 0), wait + warmup + active)
        if (repeat and turn >= repeat) or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == wait + warmup + active - 1 else ProfilerAction.RECORD

    return action


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[Any], None]:
    """Would write to a folder; does nothing."""
    return lambda prof: None


__all__ = ["ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule", "tensorboard_trace_handler"]

__getattr__ = module_getattr("torch.profiler", globals())
