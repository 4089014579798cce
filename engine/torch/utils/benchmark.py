"""``torch.utils.benchmark``: how long a statement takes; here that is this engine's time, not PyTorch's."""

from __future__ import annotations

import math
import statistics
import timeit
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from engine.errors import NotHere, explained
from engine.torch.missing import module_getattr

UNITS = (("ns", "nanosecond", 1e-9), ("us", "microsecond", 1e-6), ("ms", "millisecond", 1e-3), ("s", "second", 1.0))
SIGNIFICANT = 4
"""Digits that are printed of a time."""


CLOCK = 25e-9
"""Seconds below which no interval is trusted."""
FLUCTUATION, INFLUENCE = 0.1, 0.25
"""Spreads, as parts of the median, from which times are doubted, and doubted a lot."""


def select_unit(t: float) -> tuple[str, float]:
    """Abbreviation and seconds of the unit in which a time reads best."""
    place = min(max(math.floor(math.log10(t) / 3) + 3, 0), 3) if t > 0 else 0
    return UNITS[place][0], UNITS[place][2]


def unit_to_english(u: str) -> str:
    """``us`` → ``microsecond``."""
    return {short: word for short, word, _ in UNITS}[u]


def trim_sigfig(x: float, n: int) -> float:
    """``x`` with ``n`` significant digits."""
    if not x:
        return x
    scale = 10.0 ** (math.ceil(math.log10(abs(x))) - n)
    return float(round(x / scale) * scale)


class TaskSpec(NamedTuple):
    """What is measured, and how it is called."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """Its label and sub-label, or the statement."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        if "\n" not in self.stmt:
            return self.stmt + (f": {self.sub_label}" if self.sub_label else "")
        indented = self.stmt.replace("\n", "\n  ")
        return f"stmt:{f' ({self.sub_label})' if self.sub_label else ''}\n  {indented}"


class Measurement:
    """Times of one statement, in seconds per run."""

    def __init__(
        self,
        number_per_run: int,
        raw_times: Sequence[float],
        task_spec: TaskSpec,
        metadata: dict[Any, Any] | None = None,
    ) -> None:
        self.number_per_run, self.raw_times = number_per_run, list(raw_times)
        self.task_spec, self.metadata = task_spec, metadata

    @property
    def times(self) -> list[float]:
        """Seconds per run, one per measurement."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self) -> float:
        """Of the times."""
        return statistics.median(self.times)

    @property
    def mean(self) -> float:
        """Of the times."""
        return statistics.fmean(self.times)

    @property
    def iqr(self) -> float:
        """From the first quartile to the third."""
        if len(self.times) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.times, n=4, method="inclusive")
        return third - first

    @property
    def significant_figures(self) -> int:
        """Digits of the median that its confidence interval (90 %, from the middle half) leaves sure, 1 to 5."""
        ordered = sorted(self.times)
        middle = ordered[len(ordered) // 4 : math.ceil(3 * len(ordered) / 4)]
        interval = max(1.645 * statistics.pstdev(middle) / math.sqrt(len(middle)), CLOCK)
        return min(max(math.floor(math.log10(self.median / interval)), 1), 5)

    @property
    def has_warnings(self) -> bool:
        """Whether the times are too far apart to be trusted."""
        return self.iqr / self.median > FLUCTUATION

    @property
    def title(self) -> str:
        """What was measured."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """What its row is called in a comparison."""
        return self.task_spec.sub_label or self.task_spec.stmt

    @property
    def env(self) -> str:
        """The environment that was named."""
        return self.task_spec.env or ""

    def __repr__(self) -> str:
        spec = self.task_spec
        unit, scale = select_unit(self.median)
        lines = [f"<torch.utils.benchmark.utils.common.Measurement object at {id(self):#x}>", self.title]
        if spec.description:
            lines.append(spec.description)
        if spec.setup:
            lines.append(
                f"setup: {spec.setup}" if "\n" not in spec.setup else "setup:\n  " + spec.setup.replace("\n", "\n  ")
            )
        counted = f"{self.number_per_run} run{'s' if self.number_per_run > 1 else ''}"
        threads = f"{spec.num_threads} thread{'s' if spec.num_threads > 1 else ''}"
        if len(self.times) == 1:
            lines += [f"  {self.median / scale:.2f} {unit}", f"  1 measurement, {counted} , {threads}"]
        else:
            lines.append(f"  Median: {self.median / scale:.2f} {unit}")
            if len(self.times) >= 4:
                low, _, high = (t / scale for t in statistics.quantiles(self.times, n=4, method="inclusive"))
                lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
            lines.append(f"  {len(self.times)} measurements, {self.number_per_run} runs per measurement, {threads}")
            if self.has_warnings:
                part = self.iqr / self.median
                word = (
                    "suggests significant environmental influence"
                    if part >= INFLUENCE
                    else "could indicate system fluctuation"
                )
                lines.append(
                    f"  WARNING: Interquartile range is {part * 100:.1f}% of the median measurement.\n           This {word}."
                )
        return "\n".join(lines)


class Timer:
    """Runs a statement over and over.

    Raises:
        NotHere: a statement in another language than Python.
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Any = timeit.default_timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Any = "python",
    ) -> None:
        if str(language).lower() not in ("python", "py"):
            raise NotHere(explained("torch.utils.benchmark.Timer measures Python here", "Leave language= out."))
        names = dict(globals or {})
        names.setdefault("torch", _torch())
        self._timer = timeit.Timer(stmt, setup, timer, names)
        described = "" if setup == "pass" else setup
        self._task_spec = TaskSpec(stmt, described, global_setup, label, sub_label, description, env, num_threads)

    def __repr__(self) -> str:
        return f"<torch.utils.benchmark.utils.timer.Timer object at {id(self):#x}>"

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One measurement of so many runs."""
        self._timer.timeit(max(number // 100, 2))  # as PyTorch warms up
        return Measurement(number, [self._timer.timeit(number)], self._task_spec)

    def blocked_autorange(self, callback: Any = None, min_run_time: float = 0.2) -> Measurement:
        """Measurements until they took ``min_run_time`` seconds, each of so many runs that the clock is fine enough."""
        number = 1
        while (took := self._timer.timeit(number)) < min_run_time / 1000:
            number *= 10
        times: list[float] = []
        while sum(times) < min_run_time:
            times.append(self._timer.timeit(number))
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times or [took], self._task_spec)

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0, callback: Any = None
    ) -> Measurement:
        """Measurements until their spread is below ``threshold`` of the median, or ``max_run_time`` is over."""
        measured = self.blocked_autorange(callback, min_run_time)
        times = measured.raw_times
        while sum(times) < max_run_time and (measured.iqr > threshold * measured.median or len(times) < 2):
            times.append(self._timer.timeit(measured.number_per_run))
        return Measurement(measured.number_per_run, times, self._task_spec)


def _torch() -> Any:
    import engine.torch as torch  # here, since it holds this module

    return torch


class Compare:
    """A table of measurements: a row per sub-label, a column per description."""

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results = list(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """More measurements."""
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Times are shown with the digits that are sure; here they always are."""

    def colorize(self, rowwise: bool = False) -> None:
        """A table in a trace has no colours."""

    def __str__(self) -> str:
        titles = list(dict.fromkeys(m.task_spec.label or m.task_spec.stmt for m in self._results))
        return "\n".join(self._table(title) for title in titles)

    def _table(self, title: str) -> str:
        chosen = [m for m in self._results if (m.task_spec.label or m.task_spec.stmt) == title]
        columns = list(dict.fromkeys(m.task_spec.description or "" for m in chosen))
        rows = list(dict.fromkeys((m.task_spec.num_threads, m.as_row_name) for m in chosen))
        unit, scale = select_unit(min(m.median for m in chosen))
        cells = {(m.task_spec.num_threads, m.as_row_name, m.task_spec.description or ""): m.median for m in chosen}
        lead = max(len(f"      {name}") for _, name in rows) + 2
        texts = [
            [
                f"{trim_sigfig(cells[(*place, c)] / scale, SIGNIFICANT):.1f}" if (*place, c) in cells else ""
                for c in columns
            ]
            for place in rows
        ]
        widths = [max(len(c), *(len(line[i]) for line in texts)) for i, c in enumerate(columns)]
        full = lead + sum(3 + width for width in widths)

        def row(head: str, parts: list[str]) -> str:
            return head.ljust(lead) + "".join(f"|  {p:^{w}}" for p, w in zip(parts, widths, strict=True))

        lines = [f" {title} ".center(full - 2, "-").join("[]"), row("", columns)]
        threads: int | None = None
        for (count, name), line in zip(rows, texts, strict=True):
            if count != threads:
                lines.append(f"{count} threads: ".ljust(full, "-"))
                threads = count
            lines.append(row(f"      {name}", line))
        return "\n".join([*lines, "", f"Times are in {unit_to_english(unit)}s ({unit}).", ""])

    def print(self) -> None:
        """Prints the table."""
        print(self)


Measurement.__module__ = TaskSpec.__module__ = "torch.utils.benchmark.utils.common"
Timer.__module__, Compare.__module__ = "torch.utils.benchmark.utils.timer", "torch.utils.benchmark.utils.compare"

__all__ = ["Compare", "Measurement", "TaskSpec", "Timer", "select_unit", "trim_sigfig", "unit_to_english"]

__getattr__ = module_getattr("torch.utils.benchmark", globals())
