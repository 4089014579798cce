"""``torch.autograd.profiler_util``: what a profiler's measurements are kept in; its classes cannot be had, since nothing is measured."""

from __future__ import annotations

from engine.torch.autograd.profiler import refused
from engine.torch.missing import module_getattr as _module_getattr

EventList, FunctionEvent, FunctionEventAvg = (
    refused(name, "torch.autograd.profiler_util") for name in ("EventList", "FunctionEvent", "FunctionEventAvg")
)


def _format_time(time_us: float) -> str:
    """A time in microseconds as people read it."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if time_us >= size:
            return f"{time_us / size:.3f}{unit}"
    return f"{time_us:.3f}us"


__getattr__ = _module_getattr("torch.autograd.profiler_util", globals())
