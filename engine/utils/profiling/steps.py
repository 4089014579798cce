"""``torch.profiler``: a measurement that a schedule switches on and off from step to step."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NoReturn, Self

from engine.errors import NotHere, explained
from engine.utils.profiling import session
from engine.utils.profiling.event_list import EventList


class ProfilerAction(enum.Enum):
    """What a schedule says of a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


MEASURED = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class profile:
    """``with profile(…) as prof:`` measures what is inside; with a ``schedule``, in the steps that it chooses.

    Args:
        schedule: what to do in a step, by its number; without one, everything is measured.
        on_trace_ready: called with this object whenever a measurement is complete.
        record_shapes: keep the shapes of the arguments too.
        options: what PyTorch can measure beyond that (memory, stacks, other devices); nobody does here.
    """

    __module__ = "torch.profiler"

    def __init__(
        self,
        *,
        activities: Any = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        record_shapes: bool = False,
        **options: Any,
    ) -> None:
        self.schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self.names_steps = schedule is not None
        self.on_trace_ready, self.record_shapes, self.options = on_trace_ready, record_shapes, options
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.profiler: session.profile | None = None
        self.measuring = False
        self.step_name: session.record_function | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def start(self) -> None:
        """The first step begins."""
        self._begin_step()

    def stop(self) -> None:
        """The last step ends, and the measurement with it."""
        self._end_step()
        if self.measuring:
            self._complete()

    def step(self) -> None:
        """One step ends, the next begins."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        if self.measuring and (before is ProfilerAction.RECORD_AND_SAVE or self.current_action not in MEASURED):
            self._complete()
        self._begin_step()

    def _begin_step(self) -> None:
        if self.current_action in MEASURED and not self.measuring:
            self.profiler = session.profile(record_shapes=self.record_shapes)
            self.profiler.__enter__()
            self.measuring = True
        if self.names_steps:
            self.step_name = session.record_function("ProfilerStep*").__enter__()

    def _end_step(self) -> None:
        if self.step_name is not None:
            self.step_name.__exit__()
            self.step_name = None

    def _complete(self) -> None:
        assert self.profiler is not None
        self.profiler.__exit__()
        self.measuring = False
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _measured(self) -> session.profile:
        """What was measured last.

        Raises:
            AssertionError: nothing was yet.
        """
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before its results can be asked for: enter it first")
        return self.profiler

    def events(self) -> EventList:
        """The events in the order in which they began."""
        return self._measured().function_events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """One entry per name, or per name and shapes."""
        return self._measured().key_averages(group_by_input_shape, group_by_stack_n)

    def export_chrome_trace(self, path: Any) -> None:
        """Writes the events as a browser's tracing page reads them."""
        self._measured().export_chrome_trace(path)

    def export_stacks(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises NotHere: always."""
        raise NotHere(
            explained(
                "torch.profiler keeps no stacks here", "Use key_averages() or events(): they tell what took how long."
            )
        )

    export_memory_timeline = export_stacks
