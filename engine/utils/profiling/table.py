"""Measurements as a table of text, laid out as PyTorch lays out its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.utils.profiling.events import format_time

NUMBER_WIDTH = 12


def table_of(
    rows: Sequence[Any],
    total: float,
    sort_by: str | None,
    row_limit: int,
    name_width: int,
    shapes_width: int,
    header: str | None,
) -> str:
    """One line per event or average: its own and its whole time, in per cent and in itself, the average, and how often it ran.

    Args:
        total: microseconds that the percentages are of.
        sort_by: an attribute, largest first; the order as it is, if None.
        row_limit: how many lines at most; all, if negative.
        name_width, shapes_width: how many characters a name and shapes may take.
    """
    if not rows:
        return ""
    if sort_by is not None:
        rows = sorted(rows, key=lambda row: getattr(row, sort_by), reverse=True)
    rows = rows if row_limit < 0 else rows[:row_limit]
    with_shapes = any(row.input_shapes for row in rows)
    titles = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"]
    widths = [fitting([row.key for row in rows], name_width), *[NUMBER_WIDTH] * 6]
    if with_shapes:
        titles.append("Input Shapes")
        widths.append(fitting([str(row.input_shapes) for row in rows], shapes_width))
    rule = "  ".join("-" * width for width in widths) + "  "
    lines = [rule, aligned(titles, widths), rule]
    for row in rows:
        cells = [
            cut(row.key, name_width), share(row.self_cpu_time_total, total), row.self_cpu_time_total_str,
            share(row.cpu_time_total, total), row.cpu_time_total_str, row.cpu_time_str, str(row.count),
        ]  # fmt: skip
        lines.append(aligned([*cells, cut(str(row.input_shapes), shapes_width)][: len(widths)], widths))
    lines += [rule, f"Self CPU time total: {format_time(total)}", ""]
    if header is not None:
        lines[:0] = ["=" * len(rule), header]
    return "\n".join(lines)


def fitting(texts: Sequence[str], limit: int) -> int:
    """The width of a column."""
    return min(max(map(len, texts)) + 4, limit)


def cut(text: str, width: int) -> str:
    """A text that fits."""
    return text if len(text) <= width else text[: width - 3] + "..."


def aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """One line."""
    return "".join(f"{cell:>{width}}  " for cell, width in zip(cells, widths, strict=True))


def share(part: float, whole: float) -> str:
    """Per cent."""
    return f"{part / whole * 100 if whole else 0.0:.2f}%"
