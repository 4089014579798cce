"""``torch.autograd.profiler``: measuring what is inside a ``with``, and naming stretches of it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Self

from engine.utils.profiling.event_list import EventList
from engine.utils.profiling.events import FunctionEventAvg
from engine.utils.profiling.recorder import Recorder


class Running:
    """The measurement under way, if any."""

    recorder: Recorder | None = None


class profile:
    """``with profile() as prof:`` measures what runs inside; afterwards ``prof`` has the events.

    Args:
        enabled: whether to measure at all.
        record_shapes: keep the shapes of the arguments too.
        options: what PyTorch can measure beyond that (memory, stacks, other devices); nobody does here.
    """

    __module__ = "torch.autograd.profiler"

    def __init__(self, enabled: bool = True, *, record_shapes: bool = False, **options: Any) -> None:
        self.enabled, self.record_shapes, self.options = enabled, record_shapes, options
        self.entered = False
        self.events: EventList | None = None
        self.recorder: Recorder | None = None

    def __enter__(self) -> Self:
        """Raises RuntimeError: it was entered before, or another measurement is under way."""
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        if Running.recorder is not None:
            raise RuntimeError("Profiler is already enabled on this thread")
        self.entered = True
        Running.recorder = self.recorder = Recorder(self.record_shapes)
        self.recorder.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self.recorder is None:
            return
        self.recorder.stop()
        Running.recorder = None
        self.events = EventList(self.recorder.events)
        self.events._populate_cpu_children()

    @property
    def function_events(self) -> EventList:
        """What was measured, in the order in which it began.

        Raises:
            RuntimeError: nothing was yet.
        """
        if self.events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self.events

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all events, each without what ran within it."""
        return self.function_events.self_cpu_time_total

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """One entry per name, or per name and shapes."""
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n)

    def total_average(self) -> FunctionEventAvg:
        """All events together."""
        return self.function_events.total_average()

    def table(self, *args: Any, **kwargs: Any) -> str:
        """As text."""
        return self.function_events.table(*args, **kwargs)

    def export_chrome_trace(self, path: Any) -> None:
        """Writes the events as a browser's tracing page reads them."""
        self.function_events.export_chrome_trace(path)

    def __str__(self) -> str:
        return repr(self) if self.events is None else str(self.events)

    def __repr__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self.events is None else repr(self.events)


class record_function:
    """``with record_function("name"):``, also a decorator: names a stretch of code for whoever measures it."""

    __module__ = "torch.autograd.profiler"

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self.end: Callable[[], None] | None = None

    def __enter__(self) -> Self:
        self.end = None if Running.recorder is None else Running.recorder.annotate(self.name)
        return self

    def __exit__(self, *exception: object) -> None:
        if self.end is not None:
            self.end()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, named whenever it runs."""

        @functools.wraps(function)
        def named(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.name, self.args):
                return function(*args, **kwargs)

        return named
