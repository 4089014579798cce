"""A list of events: which ran within which, their averages, and how they are shown or written down."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from engine.utils.profiling.events import FunctionEvent, FunctionEventAvg
from engine.utils.profiling.table import table_of


class EventList(list[Any]):
    """Events in the order in which they began, or averages."""

    def __init__(
        self,
        events: Iterable[Any] = (),
        *,
        use_device: str | None = None,
        profile_memory: bool = False,
        with_flops: bool = False,
    ) -> None:
        super().__init__(events)

    def _populate_cpu_children(self) -> None:
        """Finds out which events ran within which, thread by thread: the innermost that lasts from before to after."""
        threads: dict[tuple[int, int], list[FunctionEvent]] = defaultdict(list)
        for event in self:
            if not event.is_async:
                threads[event.thread, event.node_id].append(event)
        for events in threads.values():
            around: list[FunctionEvent] = []
            for event in sorted(events, key=lambda e: (e.time_range.start, -e.time_range.end)):
                when = event.time_range
                while around and (when.start >= around[-1].time_range.end or when.end > around[-1].time_range.end):
                    around.pop()
                if around:
                    around[-1].append_cpu_child(event)
                    event.set_cpu_parent(around[-1])
                around.append(event)

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all events, each without what ran within it."""
        return math.fsum(event.self_cpu_time_total for event in self)

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """One `FunctionEventAvg` per name, or per name and shapes of the arguments."""
        averages: dict[Any, FunctionEventAvg] = {}
        for event in self:
            key = (event.key, str(event.input_shapes) if group_by_input_shapes else "")
            averages.setdefault(key, FunctionEventAvg()).add(event)
        for average in averages.values():
            if not group_by_input_shapes:
                average.input_shapes = ""
        return EventList(averages.values())

    def total_average(self) -> FunctionEventAvg:
        """All of them together, under the name ``Total``."""
        total = FunctionEventAvg()
        total.key = "Total"
        for event in self:
            total.cpu_time_total += event.cpu_time_total
            total.self_cpu_time_total += event.self_cpu_time_total
            total.count += event.count
        return total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """As text (`engine.utils.profiling.table`)."""
        rows = [event for event in self if event.cpu_parent is None] if top_level_events_only else list(self)
        return table_of(
            rows, self.self_cpu_time_total, sort_by, row_limit, max_name_column_width, max_shapes_column_width, header
        )

    def __str__(self) -> str:
        return self.table()

    def export_chrome_trace(self, path: Any) -> None:
        """Writes the events as a browser's tracing page reads them."""
        events = [
            {
                "name": event.name, "ph": "X", "ts": event.time_range.start, "dur": event.time_range.elapsed_us(),
                "pid": "CPU functions", "tid": event.thread, "args": {},
            }
            for event in self
        ]  # fmt: skip
        with open(path, "w", encoding="utf-8") as file:
            json.dump(events, file)
