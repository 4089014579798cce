"""Computes a formula: what is shown can be checked. Elements of vectors and matrices are computed side by side."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engine.trace.agreement import close
from engine.trace.formula import special
from engine.trace.formula.moves import is_erased, is_part, is_placed
from engine.trace.parts import Formula

Computed = Any
"""A Python float, or a numpy array of floats where the formula holds vectors or matrices."""


MOVES = frozenset({
    "cat", "permuted back", "roll", "rot90", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "diag",
})  # fmt: skip
"""Functions that lay the same numbers out differently."""
PARTIAL = frozenset({"sum", "mean", "cumsum", "flip", "avg_pool", "fold", "tril", "triu", "cross"})
"""What is computed along dimensions that the formula does not show."""


def gives(formula: Formula, expected: Computed, tolerance: float = 1e-3) -> bool | None:
    """Whether the formula's numbers are the expected ones; None where nothing can be computed.

    A gradient that is only put somewhere gives what its parts allow: `placed` has the same sum, a `part` holds nothing
    new, `erased` is the whole or zero at every place, and a move has the same numbers.
    """
    parts = formula.parts
    try:
        if is_placed(formula):
            return close(np.sum(evaluate(parts[0], {})), np.sum(expected), tolerance)
        if is_part(formula):
            return _all_among(expected, evaluate(parts[0], {}), tolerance)
        if is_erased(formula):
            return close(np.where(np.asarray(expected) == 0, 0.0, evaluate(parts[0], {})), expected, tolerance)
        if formula.kind == "call" and formula.text in MOVES:
            numbers = np.concatenate([np.ravel(evaluate(part, {})) for part in parts])
            return close(np.sort(numbers), np.sort(np.ravel(expected)), tolerance)
        agrees = close(evaluate(formula, {}), expected, tolerance)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return None if not agrees and _is_along_dimensions(formula) else agrees


def _all_among(elements: Computed, whole: Computed, tolerance: float) -> bool:
    return all(
        np.isclose(whole, element, rtol=tolerance, atol=1e-6, equal_nan=True).any() for element in np.ravel(elements)
    )


def _is_along_dimensions(formula: Formula) -> bool:
    if formula.kind == "sum" or (formula.kind == "call" and formula.text in PARTIAL):
        return True
    return any(map(_is_along_dimensions, formula.parts))


def evaluate(formula: Formula, values: Mapping[str, Computed]) -> Computed:
    """The number (or numbers) that the formula is.

    Raises:
        ValueError: for parts that are no arithmetic, for names without a value, and for shapes that do not fit.
    """
    parts = formula.parts
    match formula.kind:
        case "number":
            return _number(formula.text)
        case "name":
            if formula.text in _CONSTANTS and formula.text not in values:
                return _CONSTANTS[formula.text]
            if formula.text not in values:
                raise ValueError(f"no number is known for {formula.text}")
            return values[formula.text]
        case "operator":
            return functools.reduce(_ARITHMETIC[formula.text], [evaluate(part, values) for part in parts])
        case "fraction":
            return _divided(evaluate(parts[0], values), evaluate(parts[1], values))
        case "power":
            return _powered(evaluate(parts[0], values), evaluate(parts[1], values))
        case "root":
            return _each(math.sqrt, np.sqrt, evaluate(parts[0], values))
        case "group":
            return evaluate(parts[0], values)
        case "transpose":
            return np.transpose(inner) if isinstance(inner := evaluate(parts[0], values), np.ndarray) else inner
        case "sum":
            return float(np.sum(evaluate(parts[0], values)))
        case "row" if parts[0].text == "−":
            return -evaluate(parts[1], values)
        case "row" if parts[0].text == "[":
            return _condition(parts, values)
        case "call" if formula.text in _FUNCTIONS:
            of_number, of_array = _FUNCTIONS[formula.text]
            return _each(of_number, of_array, *(evaluate(part, values) for part in parts))
    raise ValueError(f"{formula.kind} {formula.text} is no arithmetic")


@functools.lru_cache(maxsize=2048)
def _number(text: str) -> Computed:
    """``2.5``, ``True``, ``[1, nan]``."""
    if text in ("True", "False"):
        return float(text == "True")
    text = text.replace("−", "-")
    if not text.startswith("["):
        return float(text)
    spelled = text.replace("nan", "NaN").replace("inf", "Infinity").replace("True", "1").replace("False", "0")
    made = np.array(json.loads(spelled, parse_int=float), dtype=np.float64)
    made.flags.writeable = False
    return made


def _each(of_number: Callable[..., float], of_array: Callable[..., Any], *arguments: Computed) -> Computed:
    if any(isinstance(argument, np.ndarray) for argument in arguments):
        with np.errstate(all="ignore"):
            return of_array(*arguments)
    return of_number(*arguments)


def _condition(parts: list[Formula], values: Mapping[str, Computed]) -> Computed:
    if parts[1].text == "¬":
        return 1.0 - evaluate(parts[2], values)
    held = _HOLDS[parts[2].text](evaluate(parts[1], values), evaluate(parts[3], values))
    return held.astype(np.float64) if isinstance(held, np.ndarray) else float(held)


def _divided(top: Computed, bottom: Computed) -> Computed:
    if isinstance(top, np.ndarray) or isinstance(bottom, np.ndarray):
        with np.errstate(all="ignore"):
            return np.divide(top, bottom)
    if bottom:
        return top / bottom
    return math.nan if not top or math.isnan(top) else top * math.copysign(math.inf, bottom)


def _powered(base: Computed, exponent: Computed) -> Computed:
    if isinstance(base, np.ndarray) or isinstance(exponent, np.ndarray):
        with np.errstate(all="ignore"):
            return np.power(base, exponent)
    if not base and exponent < 0:
        return math.inf
    result = base**exponent
    if isinstance(result, complex):
        raise ValueError("a broken power of a negative number is no real number")
    return float(result)


def _multiplied(left: Computed, right: Computed) -> Computed:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left @ right  # numpy raises ValueError for shapes that do not fit
    return left * right


_ARITHMETIC: dict[str, Callable[[Computed, Computed], Computed]] = {
    "+": lambda x, y: x + y,
    "−": lambda x, y: x - y,
    "·": lambda x, y: x * y,
    "@": _multiplied,
    "∨": np.maximum,
}
_HOLDS: dict[str, Callable[[Computed, Computed], Any]] = {
    ">": lambda x, y: x > y,
    "<": lambda x, y: x < y,
    "≥": lambda x, y: x >= y,
    "≤": lambda x, y: x <= y,
    "=": lambda x, y: x == y,
    "≠": lambda x, y: x != y,
}
_CONSTANTS = {"e": math.e, "π": math.pi, "∞": math.inf}


def _logarithm(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def _by_element(of_number: Callable[..., float]) -> tuple[Callable[..., float], Callable[..., Any]]:
    return of_number, np.vectorize(of_number, otypes=[np.float64])


_FUNCTIONS: dict[str, tuple[Callable[..., float], Callable[..., Any]]] = {
    "σ": (lambda x: 1 / (1 + math.exp(-x)), lambda x: 1 / (1 + np.exp(-x))),
    "erf": _by_element(math.erf),
    "erf⁻¹": _by_element(special.erfinv),
    "Φ": _by_element(special.normal_cdf),
    "ψ": _by_element(special.polygamma),
    "ζ": _by_element(special.zeta),
    "I₀": _by_element(functools.partial(special.bessel, 0)),
    "I₁": _by_element(functools.partial(special.bessel, 1)),
    "I₀ₑ": _by_element(functools.partial(special.scaled_bessel, 0)),
    "I₁ₑ": _by_element(functools.partial(special.scaled_bessel, 1)),
    "arcsin": (math.asin, np.arcsin),
    "arccos": (math.acos, np.arccos),
    "arctan": (math.atan, np.arctan),
    "log₂": (math.log2, np.log2),
    "log₁₀": (math.log10, np.log10),
    "relu": (lambda x: max(x, 0.0), lambda x: np.maximum(x, 0.0)),
    "sinh": (math.sinh, np.sinh),
    "cosh": (math.cosh, np.cosh),
    "ln": (_logarithm, np.log),
    "log1p": (math.log1p, np.log1p),
    "expm1": (math.expm1, np.expm1),
    "sin": (math.sin, np.sin),
    "cos": (math.cos, np.cos),
    "tan": (math.tan, np.tan),
    "tanh": (math.tanh, np.tanh),
    "abs": (abs, np.abs),
    "mean": (float, np.mean),
    "flip": (float, np.flip),
    "cumsum": (float, np.cumsum),
    "softplus": (lambda x: math.log1p(math.exp(x)), lambda x: np.log1p(np.exp(x))),
    "isfinite": (lambda x: float(math.isfinite(x)), lambda x: np.isfinite(x).astype(np.float64)),
    "trunc": (math.trunc, np.trunc),
    "floor": (math.floor, np.floor),
    "max": (max, np.maximum),
    "min": (min, np.minimum),
    "sgn": (lambda x: float((x > 0) - (x < 0)), lambda x: np.nan_to_num(np.sign(x))),
    "Re": (float, np.real),
    "isnan": (lambda x: float(math.isnan(x)), lambda x: np.isnan(x).astype(np.float64)),
    "ln Γ": _by_element(math.lgamma),
    "ln σ": (lambda x: -math.log1p(math.exp(-x)), lambda x: -np.log1p(np.exp(-x))),
}
"""How a function of one number, and of many, is computed."""
