"""``torch.profiler``: programs that measure themselves run; what was measured is not there, since a traced run's time says nothing."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NoReturn, Self

from engine.errors import NotHere, explained
from engine.torch.autograd.profiler import record_function
from engine.torch.missing import module_getattr


class ProfilerActivity(enum.Enum):
    """What is measured where."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What a schedule says of a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class profile:
    """``with profile(…) as prof:`` runs what is inside; asking for results is refused."""

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.step_num = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Nothing to stop."""

    def start(self) -> None:
        """Nothing to start."""

    stop = start

    def step(self) -> None:
        """One more step."""
        self.step_num += 1

    def key_averages(self, *options: Any, **more: Any) -> NoReturn:
        """Raises:
        NotHere: always.
        """
        raise NotHere(
            explained(
                "torch.profiler measures nothing here",
                "A traced run's time says nothing about PyTorch's: leave the results out, the rest can be played.",
            )
        )

    events = export_chrome_trace = export_stacks = key_averages


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
