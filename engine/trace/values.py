"""A tensor's elements at one moment, as `Value`: whole when small, thinned when large."""

from __future__ import annotations

import cmath
import functools
import math
from typing import Any

import numpy as np

from engine.ops.meta.arrays import MetaArray
from engine.trace.parts import Number, Value

WHOLE = 64
"""Most elements a `Value` holds in full: what a table of numbers can show at reading size."""
THUMBNAIL = 16
"""Most rows and columns of a larger tensor's heat map."""
SPELLED_VECTOR = 8
"""Longest vector whose text spells every element."""
SPELLED_MATRIX = 16
"""Most elements of a matrix whose text spells every element."""

NO_ELEMENTS = "no elements"
"""What is said of a meta tensor, which has shape and dtype only."""
NOT_STORED = "·"
"""Stands for an element that a sparse tensor does not store."""
MINUS = "−"
"""What stands before a negative number that people read. JSON's numbers and code have a hyphen."""

_least, _most = np.minimum.reduce, np.maximum.reduce


def number(x: Any) -> Number | bool:
    """One element as JSON can spell it."""
    kind = type(x)
    if kind is int or kind is bool:
        return x  # type: ignore[no-any-return]  # its type was just compared
    if kind is complex:
        return _in_ascii(x, 4)
    return x if math.isfinite(x) else str(x)


def spelled(x: Any, digits: int = 4) -> str:
    """One element as people read it: few significant digits, no trailing zeros (``4``, ``−2.5``, ``1.2e−5``)."""
    return _in_ascii(x, digits).replace("-", MINUS)


def _in_ascii(x: Any, digits: int) -> str:
    kind = type(x)
    if kind is complex:
        sign = "-" if math.copysign(1.0, x.imag) < 0 else "+"
        return f"{_in_ascii(x.real, digits)}{sign}{_in_ascii(abs(x.imag), digits)}j"
    if kind is not float or not math.isfinite(x):
        return str(x)
    if -1e6 < x < 1e6 and x == int(x):
        return "-0" if x == 0 and math.copysign(1.0, x) < 0 else str(int(x))
    text = f"{x:.{digits}g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        return f"{mantissa}e{int(exponent)}"
    return text


@functools.lru_cache(maxsize=64)
def dtype_name(dtype: np.dtype[Any]) -> str:
    """``float32``. numpy works the name out anew each time it is asked."""
    return dtype.name


def value_of(array: Any, dtype: str) -> Value:
    """The `Value` of a numpy array or scalar. ``dtype`` is the tensor's own (numpy has no bfloat16 of its own).

    That of a meta tensor has a form only.
    """
    shape = list(array.shape)
    if type(array) is MetaArray:
        return Value(shape, dtype, f"{dtype} {shape}, {NO_ELEMENTS}")
    if array.size == 1:
        return value_of_number(array, dtype)
    if dtype == "bfloat16":
        array = np.asarray(array, dtype=np.float32)
    if array.size <= WHOLE:
        elements = array.ravel().tolist()
        if array.dtype.kind == "f" and math.isfinite(sum(elements)):  # then each of them is
            return Value(shape, dtype, text_of_floats(shape, dtype, elements), elements)
        bad, nan = _bad(array)
        data = elements if not bad and array.dtype.kind != "c" else [number(x) for x in elements]
        return Value(shape, dtype, text_of(shape, dtype, elements), data, nonfinite=bad, nan=nan)
    if array.dtype.kind == "f":
        low, high = float(_least(array, None)), float(_most(array, None))  # NaN, if there is one
        if math.isfinite(low) and math.isfinite(high):
            return Value(shape, dtype, f"{dtype} {shape}", None, _thumbnail(array, 0), low, high)
    bad, nan = _bad(array)
    finite = array[np.isfinite(array)] if bad and array.dtype.kind == "f" else array
    if finite.dtype.kind == "b":
        finite = finite.view(np.int8)  # a range is of numbers: 0 to 1
    real = array.dtype.kind != "c" and finite.size > 0
    return Value(
        shape,
        dtype,
        text_of(shape, dtype, None),
        None,
        _thumbnail(array, bad) if array.dtype.kind != "c" else None,
        number(finite.min().item()) if real else None,
        number(finite.max().item()) if real else None,
        bad,
        nan,
    )


def value_of_number(array: Any, dtype: str) -> Value:
    """`value_of` a single element."""
    shape = list(array.shape)
    x = array.item() if dtype != "bfloat16" else np.asarray(array, dtype=np.float32).item()
    if type(x) is float and "e" not in (text := f"{x:.4g}") and math.isfinite(x):
        text = text.replace("-", MINUS)
        if shape:
            text = f"[{text}]" if len(shape) == 1 else _bracketed(text, shape)
        return Value(shape, dtype, text, [x])
    bad = int(not cmath.isfinite(x))
    return Value(shape, dtype, _bracketed(spelled(x), shape), [number(x)], nonfinite=bad, nan=int(x != x))


def text_of_floats(shape: list[int], dtype: str, elements: list[float]) -> str:
    """`text_of` finite floats, in one piece where none of them needs a power of ten."""
    pattern = _pattern(*shape)
    if pattern is None:
        return f"{dtype} {shape}"
    text = pattern % tuple(elements)
    return text.replace("-", MINUS) if "e" not in text else text_of(shape, dtype, elements)


@functools.lru_cache(maxsize=256)
def _pattern(*shape: int) -> str | None:
    """How `text_of` spells floats of this shape; None where it spells none."""
    spelt = text_of(list(shape), "", [0.0] * math.prod(shape))
    return spelt.replace("0", "%.4g") if spelt.startswith("[") else None


def text_of(shape: list[int], dtype: str, elements: list[Any] | None, digits: int = 4) -> str:
    """Every element where that is readable, else dtype and shape."""
    count = math.prod(shape)
    if elements is not None:
        if len(shape) == 1 and count <= SPELLED_VECTOR:
            return "[" + ", ".join([spelled(element, digits) for element in elements]) + "]"
        if len(shape) == 2 and 0 < count <= SPELLED_MATRIX:
            texts = [spelled(element, digits) for element in elements]
            rows = [", ".join(texts[start : start + shape[1]]) for start in range(0, count, shape[1])]
            return "[[" + "], [".join(rows) + "]]"
        if count == 1:
            return _bracketed(spelled(elements[0], digits), shape)
    return f"{dtype} {shape}"


def _bracketed(text: str, shape: list[int]) -> str:
    """The only element of a tensor of this shape."""
    return "[" * len(shape) + text + "]" * len(shape)


def _bad(array: Any) -> tuple[int, int]:
    """How many elements are NaN or infinite, and how many of these NaN."""
    if array.dtype.kind not in "fc":
        return 0, 0
    bad = int(array.size - np.count_nonzero(np.isfinite(array)))
    return bad, int(np.count_nonzero(np.isnan(array))) if bad else 0


def _thumbnail(array: Any, bad: int) -> list[list[Number]]:
    """At most 16 × 16 cells of the tensor seen as a matrix."""
    if array.dtype.kind == "b":
        array = array.view(np.int8)
    cells: list[list[Any]]
    [cells] = thumbnails_of(array[np.newaxis])
    return [[number(x) for x in row] for row in cells] if bad else cells


def thumbnails_of(arrays: Any) -> list[list[list[Any]]]:
    """At most 16 × 16 cells of each array along the first axis, seen as a matrix (its leading axes folded into rows)."""
    rows = math.prod(arrays.shape[1:-1])
    matrices = arrays.reshape(len(arrays), rows, -1)
    columns = matrices.shape[2]
    if rows > THUMBNAIL:
        matrices = matrices.take(_middles(rows), 1)
    if columns > THUMBNAIL:
        matrices = matrices.take(_middles(columns), 2)
    cells: list[list[list[Any]]] = matrices.tolist()
    return cells


@functools.lru_cache(maxsize=256)
def _middles(length: int) -> np.ndarray[Any, np.dtype[np.intp]]:
    cells = min(length, THUMBNAIL)
    return np.array([(2 * cell + 1) * length // (2 * cells) for cell in range(cells)])
