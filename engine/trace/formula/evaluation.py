"""Computes a formula: what is shown can be checked. Elements of vectors and matrices are computed side by side."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from engine.trace.agreement import NEAR_ZERO, close
from engine.trace.formula.arithmetic import (
    ALONG,
    CONSTANTS,
    FUNCTIONS,
    HOLDS,
    JOINED,
    Computed,
    divided,
    each,
    inverted,
    powered,
    transposed,
)
from engine.trace.formula.moves import is_erased, is_part, is_placed
from engine.trace.formula.tree import MATRIX
from engine.trace.parts import Formula

MOVES = frozenset({"cat", "permuted back", "roll", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle"})
"""Functions that lay the same numbers out differently."""
PARTIAL = frozenset({*ALONG, "avg_pool", "fold", "cross", "half"})
"""What is computed along dimensions that the formula does not show."""


class Layout(NamedTuple):
    """What a formula does not show of the dimensions of its numbers."""

    axis: int | None = None
    """The dimension that sums and means go along, which then stays as one of length one; None for all."""
    columns: bool = False
    """Whether vectors beside matrices are columns."""
    place: int = 0
    """The dimension that places are counted along."""


FLAT = Layout()


def gives(
    formula: Formula, expected: Computed, tolerance: float = 1e-3, values: Mapping[str, Computed] | None = None
) -> bool | None:
    """Whether the formula's numbers are the expected ones; None where nothing can be computed.

    A gradient that is only put somewhere gives what its parts allow: `placed` has the same sum, or only its numbers beside
    zeros, a `part` holds nothing new, `erased` is the whole or zero at every place, and a move has the same numbers.
    Dimensions that the formula does not show are those with which it gives the numbers. ``values``: what its names
    stand for.
    """
    values = values or {}
    agreed: bool | None = None
    for layout in _layouts(formula, expected):
        try:
            agrees = _gives(formula, expected, tolerance, values, layout)
        except (ValueError, OverflowError, ZeroDivisionError, TypeError):
            continue
        if agrees:
            return True
        agreed = False
    is_shown = np.ndim(expected) <= len("ij") and not is_along_dimensions(formula)
    return None if agreed is False and not is_shown else agreed


def _layouts(formula: Formula, expected: Computed) -> Iterator[Layout]:
    yield FLAT
    if np.ndim(expected) > 1:
        yield Layout(columns=True)
    if not is_along_dimensions(formula):
        return
    for place in (0, 1) if _has_places(formula) else (0,):
        for axis in (None, *range(max(np.ndim(expected), 2))):
            yield Layout(axis, place=place)
            yield Layout(axis, columns=True, place=place)


def _gives(
    formula: Formula, expected: Computed, tolerance: float, values: Mapping[str, Computed], layout: Layout
) -> bool:
    parts = formula.parts
    if is_placed(formula):
        placed = evaluate(parts[0], values, layout)
        found = np.ravel(expected)
        return close(np.sum(placed), np.sum(expected), tolerance) or _all_among(found[found != 0], placed, tolerance)
    if is_part(formula):
        return _all_among(expected, evaluate(parts[0], values, layout), tolerance)
    if is_erased(formula):
        kept = np.where(np.asarray(expected) == 0, 0.0, evaluate(parts[0], values, layout))
        return close(kept, expected, tolerance)
    if formula.kind == "call" and formula.text in MOVES:
        numbers = np.concatenate([np.ravel(evaluate(part, values, layout)) for part in parts])
        return close(np.sort(numbers), np.sort(np.ravel(expected)), tolerance)
    return close(evaluate(formula, values, layout), expected, tolerance)


def _all_among(elements: Computed, whole: Computed, tolerance: float) -> bool:
    return all(
        np.isclose(whole, element, rtol=tolerance, atol=NEAR_ZERO, equal_nan=True).any()
        for element in np.ravel(elements)
    )


def is_along_dimensions(formula: Formula) -> bool:
    """Whether it adds up, or averages, along dimensions that it does not show."""
    if formula.kind == "sum" or (formula.kind == "call" and formula.text in PARTIAL):
        return True
    return _is_place(formula) or any(map(is_along_dimensions, formula.parts))


def _has_places(formula: Formula) -> bool:
    return _is_place(formula) or any(map(_has_places, formula.parts))


def _is_place(formula: Formula) -> bool:
    """Whether it is what stands at places that are numbers."""
    return is_part(formula) and formula.parts[-1].kind in ("number", "name")


def evaluate(formula: Formula, values: Mapping[str, Computed], layout: Layout = FLAT) -> Computed:
    """The number (or numbers) that the formula is.

    Raises:
        ValueError: for parts that are no arithmetic, for names without a value, and for shapes that do not fit.
    """
    parts = formula.parts
    match formula.kind:
        case "number":
            return _laid_out(_number(formula.text), layout)
        case "name":
            if formula.text in CONSTANTS and formula.text not in values:
                return CONSTANTS[formula.text]
            known = next((text for text in (formula.text, f"({formula.text})") if text in values), None)
            if known is None:
                raise ValueError(f"no number is known for {formula.text}")
            return _laid_out(values[known], layout)
        case "operator" if formula.text == "·":
            return _product([evaluate(part, values, layout) for part in parts], list(map(_is_condition, parts)))
        case "operator" if formula.text in JOINED:
            return functools.reduce(JOINED[formula.text], [evaluate(part, values, layout) for part in parts])
        case "fraction":
            return divided(evaluate(parts[0], values, layout), evaluate(parts[1], values, layout))
        case "power" if formula.text == MATRIX:
            return inverted(evaluate(parts[0], values, layout))
        case "power":
            return powered(evaluate(parts[0], values, layout), evaluate(parts[1], values, layout))
        case "root":
            return each(math.sqrt, np.sqrt, evaluate(parts[0], values, layout))
        case "group":
            return evaluate(parts[0], values, layout)
        case "transpose":
            return transposed(evaluate(parts[0], values, layout))
        case "sum":
            return _along("sum", layout, evaluate(parts[0], values, layout))
        case "row" if parts[0].text == "−":
            return -evaluate(parts[1], values, layout)
        case "row" if parts[0].text == "[":
            return _condition(parts, values, layout)
        case "row" if _is_place(formula):
            return _picked(evaluate(parts[0], values), evaluate(parts[-1], values), layout.place)
        case "call" if formula.text in ALONG:
            return _along(formula.text, layout, *(evaluate(part, values, layout) for part in parts))
        case "call" if formula.text in FUNCTIONS:
            of_number, of_array = FUNCTIONS[formula.text]
            return each(of_number, of_array, *(evaluate(part, values, layout) for part in parts))
    raise ValueError(f"{formula.kind} {formula.text} is no arithmetic")


def _laid_out(value: Computed, layout: Layout) -> Computed:
    return value[:, None] if layout.columns and np.ndim(value) == 1 and len(value) > 1 else value


def _picked(whole: Computed, where: Computed, axis: int) -> Computed:
    """The elements at places, which are numbers or marked with ones."""
    places = np.asarray(where)
    is_mask = places.shape == np.shape(whole) and np.isin(places, (0.0, 1.0)).all() and places.size > 1
    try:
        if is_mask:
            return np.asarray(whole)[places.astype(bool)]
        where = places.astype(np.int64)
        if where.ndim == np.ndim(whole) > 1:
            return np.take_along_axis(np.asarray(whole), where, axis)
        if axis and where.shape == np.shape(whole)[:1]:  # one for each row
            return np.take_along_axis(np.asarray(whole), where[:, None], axis)[:, 0]
        return np.take(whole, where, axis)
    except (IndexError, np.exceptions.AxisError) as error:
        raise ValueError("no such place") from error


def _along(function: str, layout: Layout, *parts: Computed) -> Computed:
    axis = layout.axis if layout.axis is not None and layout.axis < np.ndim(parts[0]) else None
    made = ALONG[function](*parts, axis=axis, keepdims=axis is not None)
    return made.item() if isinstance(made, np.ndarray | np.generic) and not np.ndim(made) else made


def _product(factors: list[Computed], conditions: list[bool]) -> Computed:
    """Factors multiplied; where one of Iverson's brackets is 0 it wins over anything, infinite or undefined as it be."""
    made = functools.reduce(JOINED["·"], factors)
    for factor, is_bracket in zip(factors, conditions, strict=True):
        if is_bracket and not np.all(factor):
            made = np.where(factor, made, 0.0) if np.ndim(made) else 0.0
    return made


def _is_condition(formula: Formula) -> bool:
    if formula.kind == "operator" and formula.text == "·":
        return all(map(_is_condition, formula.parts))
    return formula.kind == "row" and formula.parts[0].text == "["


@functools.lru_cache(maxsize=2048)
def _number(text: str) -> Computed:
    """``2.5``, ``True``, ``[1, nan]``, ``1+2j``."""
    if text in ("True", "False"):
        return float(text == "True")
    text = text.replace("−", "-")
    if not text.startswith("["):
        return complex(text) if text.endswith("j") else float(text)
    spelled = text.replace("True", "1").replace("False", "0")
    quoted = re.sub(r"[^\[\],\s]+", lambda found: f'"{found[0]}"', spelled)
    made: Any = np.array(json.loads(quoted)).astype(np.complex128 if "j" in text else np.float64)
    made.flags.writeable = False
    return made


def _condition(parts: list[Formula], values: Mapping[str, Computed], layout: Layout) -> Computed:
    if parts[1].text == "¬":
        return 1.0 - evaluate(parts[2], values, layout)
    held = HOLDS[parts[2].text](evaluate(parts[1], values, layout), evaluate(parts[3], values, layout))
    return held.astype(np.float64) if isinstance(held, np.ndarray) else float(held)
