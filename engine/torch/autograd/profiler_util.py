"""``torch.autograd.profiler_util``: what a profiler's measurements are kept in."""

from __future__ import annotations

from engine.torch.missing import module_getattr as _module_getattr
from engine.utils.profiling.event_list import EventList as EventList
from engine.utils.profiling.events import FunctionEvent as FunctionEvent
from engine.utils.profiling.events import FunctionEventAvg as FunctionEventAvg
from engine.utils.profiling.events import Interval as Interval
from engine.utils.profiling.events import format_time as _format_time

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "_format_time"]

__getattr__ = _module_getattr("torch.autograd.profiler_util", globals())
