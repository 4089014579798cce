"""Brackets, commas, line breaks and the dots of a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.printing.elements import ElementFormat, format_for
from engine.printing.options import PrintOptions

if TYPE_CHECKING:  # importing torch should be quick
    from numpy.typing import NDArray


def lay_out(values: NDArray[Any], indent: int, options: PrintOptions) -> str:
    """The elements as nested lists; continuation lines are indented to stand ``indent`` columns in, plus brackets."""
    if not values.size:
        return "[]"
    summarised = values.size > options.threshold
    shown = edges(values, options.edgeitems) if summarised else values
    return _nested(values, indent, summarised, format_for(shown, options), options)


def edges(values: NDArray[Any], edgeitems: int) -> NDArray[Any]:
    """What a summary shows: the first and last ``edgeitems`` along each dimension longer than both together."""
    if values.ndim > 1 and not edgeitems:
        return values[:0]
    for axis, length in enumerate(values.shape):
        if length > 2 * edgeitems and edgeitems:
            kept = np.r_[0:edgeitems, length - edgeitems : length]
            values = np.take(values, kept, axis)
    return values


def _nested(values: NDArray[Any], indent: int, summarised: bool, element: ElementFormat, options: PrintOptions) -> str:
    if values.ndim == 0:
        return element.spell(values.item())
    if values.ndim == 1:
        return _row(values, indent, summarised, element, options)
    length, edge = values.shape[0], options.edgeitems
    if summarised and length > 2 * edge:
        parts = [_nested(values[i], indent + 1, summarised, element, options) for i in range(edge)]
        parts.append("...")
        parts += [_nested(values[i], indent + 1, summarised, element, options) for i in range(length - edge, length)]
    else:
        parts = [_nested(each, indent + 1, summarised, element, options) for each in values]
    between = "," + "\n" * (values.ndim - 1) + " " * (indent + 1)
    return f"[{between.join(parts)}]"


def _row(values: NDArray[Any], indent: int, summarised: bool, element: ElementFormat, options: PrintOptions) -> str:
    edge = options.edgeitems
    if summarised and not edge:
        words = ["..."]
    elif summarised and values.shape[0] > 2 * edge:
        head, tail = values[:edge].tolist(), values[-edge:].tolist()
        words = [*map(element.spell, head), " ...", *map(element.spell, tail)]
    else:
        words = list(map(element.spell, values.tolist()))
    per_line = max(1, (options.linewidth - indent) // (element.width + 2))  # 2: comma and space
    lines = [", ".join(words[start : start + per_line]) for start in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
