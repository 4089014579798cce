"""What was measured: one `FunctionEvent` per run of an operator, a `FunctionEventAvg` per kind."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, Self


class DeviceType(enum.Enum):
    """Where it ran."""

    CPU = 0


def format_time(time_us: float) -> str:
    """A time in microseconds as people read it."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if time_us >= size:
            return f"{time_us / size:.3f}{unit}"
    return f"{time_us:.3f}us"


class Interval:
    """From ``start`` to ``end``, in microseconds."""

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """How long it is."""
        return self.end - self.start


class Timed:
    """What events and their averages have in common; all times are in microseconds. No device but the processor is here."""

    cpu_time_total: float
    self_cpu_time_total: float
    count: int
    key: str
    device_time_total = self_device_time_total = device_time = cuda_time = cuda_time_total = self_cuda_time_total = 0.0
    cpu_memory_usage = self_cpu_memory_usage = device_memory_usage = self_device_memory_usage = 0
    device_type = DeviceType.CPU
    use_device: str | None = None
    is_async = is_remote = is_legacy = False
    overload_name = ""
    flops = 0
    node_id = -1
    stack: Sequence[str] = ()

    @property
    def cpu_time(self) -> float:
        """The average time of one run."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        """`cpu_time` as people read it."""
        return format_time(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """`cpu_time_total` as people read it."""
        return format_time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """`self_cpu_time_total` as people read it."""
        return format_time(self.self_cpu_time_total)


class FunctionEvent(Timed):
    """One run of an operator, of a node, or of what a person named.

    Args:
        id: its number.
        name: ``aten::mul``, ``MulBackward0``, or the person's own.
        thread, fwd_thread: who ran it; for a node also who ran its forward.
        start_us, end_us: when, in microseconds.
        sequence_nr: the number of its node in the graph, -1 if it has none.
    """

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        *,
        node_id: int = -1,
        overload_name: str | None = None,
        fwd_thread: int | None = None,
        input_shapes: Sequence[Any] | None = None,
        stack: Sequence[str] | None = None,
        scope: int = 0,
        sequence_nr: int = -1,
        is_async: bool = False,
        is_user_annotation: bool = False,
        **more: Any,
    ) -> None:
        self.id, self.node_id, self.name, self.trace_name = id, node_id, name, name
        self.overload_name = overload_name or ""
        self.time_range = Interval(start_us, end_us)
        self.thread, self.fwd_thread = thread, fwd_thread
        self.input_shapes: list[Any] = list(input_shapes or ())
        self.stack = list(stack or ())
        self.scope, self.sequence_nr, self.is_async, self.is_user_annotation = (
            scope,
            sequence_nr,
            is_async,
            is_user_annotation,
        )
        self.count = 1
        self.kernels: list[Any] = []
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.more = more

    @property
    def key(self) -> str:  # type: ignore[override]  # fixed in averages only
        """What it is averaged under."""
        return self.name

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Takes what ran within it."""
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Says what it ran within."""
        self.cpu_parent = parent

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]  # the same
        """How long it ran."""
        return 0.0 if self.is_async else self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]  # the same
        """… without what ran within it."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} node_id={self.node_id} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} cpu_children={[c.id for c in self.cpu_children]} "
            f"thread={self.thread} input_shapes={self.input_shapes} seq_nr={self.sequence_nr}>"
        )


class FunctionEventAvg(Timed):
    """All events of one kind together."""

    def __init__(self) -> None:
        self.key = ""
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.input_shapes: Any = None
        self.is_user_annotation = False
        self.scope: int | None = None
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None

    def add(self, other: Any) -> Self:
        """Takes an event, or the average of some, into account.

        Raises:
            AssertionError: it is of another kind.
        """
        if not self.key:
            self.key, self.scope, self.cpu_parent = other.key, other.scope, other.cpu_parent
            self.input_shapes, self.stack, self.is_user_annotation = (
                other.input_shapes,
                other.stack,
                other.is_user_annotation,
            )
        if other.key != self.key:
            raise AssertionError(f"expected the key {self.key!r}, got {other.key!r}")
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.count += other.count
        return self

    def __iadd__(self, other: Any) -> Self:
        return self.add(other)

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
            f"input_shapes={self.input_shapes}>"
        )
