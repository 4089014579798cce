"""``torch.autograd.profiler``: measures this engine's operators; what only other hardware's tools could see is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from engine.errors import NotHere, explained
from engine.torch.missing import module_getattr as _module_getattr
from engine.utils.profiling.event_list import EventList as EventList
from engine.utils.profiling.events import FunctionEvent as FunctionEvent
from engine.utils.profiling.events import FunctionEventAvg as FunctionEventAvg
from engine.utils.profiling.session import profile, record_function


def refused(name: str) -> Callable[..., NoReturn]:
    """A class that cannot be had."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotHere(
            explained(
                f"torch.autograd.profiler.{name} is not here",
                "It speaks to another vendor's tools: use torch.autograd.profiler.profile, or remove it.",
            )
        )

    return refuse


emit_nvtx, emit_itt = refused("emit_nvtx"), refused("emit_itt")

__all__ = ["emit_itt", "emit_nvtx", "profile", "record_function"]

__getattr__ = _module_getattr("torch.autograd.profiler", globals())
