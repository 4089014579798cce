"""Values, counts and lists as words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from engine.trace.parts import Value
from engine.trace.values import NOT_STORED, spelled

VECTOR, MATRIX = 6, 4
"""Elements that a sentence spells out; more are said by shape and range."""
_OWN_COMMAS = re.compile(r"`[^`]*`|\[(?:[^\[\]]|\[[^\]]*\])*\]|\([^)]*\)")
"""Code, vectors and brackets, whose commas divide nothing in a sentence."""
MOST = 4
"""Things that are listed by name before the rest is counted."""


def shown(value: Value | None) -> str:
    """A value inside a sentence."""
    if value is None:
        return "nothing"
    if value.shape and 0 in value.shape:
        return "no numbers"
    if is_spelled(value):
        return value.text
    size = " × ".join(map(str, value.shape))
    if value.dtype == "bool":
        return truths(value, size)
    if not value.nonfinite and (ends := extremes(value)) is not None:
        low, high = (spelled(end) for end in ends)
        amount = f"{size} numbers, all {low}" if low == high else f"{size} numbers from {low} to {high}"
        return amount + stored(value)
    if value.nan:
        return f"{size} numbers, {quantity(value.nan, math.prod(value.shape))} NaN"
    return (
        f"{size} numbers{f', {quantity(value.nonfinite, math.prod(value.shape))} infinite' if value.nonfinite else ''}"
    )


def truths(value: Value, size: str) -> str:
    """``3 × 3 truth values, 6 of them True``."""
    if value.data is None:
        return f"{size} truth values"
    count = sum(map(bool, value.data))
    return f"{size} truth values, {quantity(count, len(value.data)) if count else 'none of them'} True"


def stored(value: Value) -> str:
    """What a sparse value has beside its range: ``, 3 stored``; nothing for a dense one."""
    if NOT_STORED in value.text:
        return f", {math.prod(value.shape) - value.text.count(NOT_STORED)} stored"
    return value.text.removeprefix(f"{value.dtype} {value.shape}") if value.text.endswith(" stored") else ""


def aside(value: Value | None) -> str:
    """`shown` for the middle of a sentence: what it says behind a comma ends with one."""
    told = shown(value)
    return f"{told}," if ", " in told and not told.startswith("[") else told


def quantity(some: int, of: int) -> str:
    """``all``, ``one of them``, ``3 of them``."""
    return "all" if some == of else f"{'one' if some == 1 else some} of them"


def alone(value: Value | None) -> str:
    """The number of a one-element value, without brackets; any other value as `shown`."""
    return shown(value).strip("[]") if value is not None and math.prod(value.shape) == 1 else shown(value)


def is_spelled(value: Value) -> bool:
    """Whether a sentence can hold every element: up to six in a vector, four in a matrix."""
    if not value.shape:
        return True
    count = math.prod(value.shape)
    return not value.text.startswith(value.dtype) and count <= (VECTOR if len(value.shape) < 2 else MATRIX)


def extremes(value: Value) -> tuple[float, float] | None:
    """Smallest and largest element; None where the value does not tell."""
    if value.data:
        if value.nonfinite or "complex" in value.dtype:
            return None
        return float(min(value.data)), float(max(value.data))
    if isinstance(value.low, float | int) and isinstance(value.high, float | int):
        return float(value.low), float(value.high)
    return None


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; after the fourth the rest is counted. Equal names are said once.

    Names that hold a comma of their own are set apart by semicolons.
    """
    names = list(dict.fromkeys(names))
    if len(names) > 1 and any(", " in _OWN_COMMAS.sub("", name) for name in names):
        return "; ".join(names[:MOST]) + (f"; and {len(names) - MOST} more" if len(names) > MOST else "")
    if len(names) > MOST:
        return ", ".join(names[:MOST]) + f" and {len(names) - MOST} more"
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]


def times(count: int) -> str:
    """``twice``, ``three times``."""
    return "once" if count == 1 else "twice" if count == 2 else counted(count, "time")


def counted(count: int, thing: str) -> str:
    """``one path``, ``two paths``, ``12 paths``."""
    return f"{number_word(count)} {thing}{'' if count == 1 else 's'}"


def number_word(count: int) -> str:
    """``two``; digits from ten on."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return words[count] if count < len(words) else str(count)


def ordinal(count: int) -> str:
    """``second``; ``10th``, ``21st`` from ten on."""
    words = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
    if count < len(words):
        return words[count]
    teen = count % 100 // 10 == 1
    return f"{count}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(count % 10, 'th')}"
