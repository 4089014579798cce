"""How the symbols and functions of formulas are computed, for one number and for arrays of them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.trace.formula import special

Computed = Any
"""A Python float, or a numpy array where the formula holds vectors, matrices or complex numbers."""


def each(of_number: Callable[..., float], of_array: Callable[..., Any], *arguments: Computed) -> Computed:
    """A function of numbers, element by element."""
    if any(isinstance(argument, np.ndarray | complex) for argument in arguments):
        with np.errstate(all="ignore"):
            return of_array(*arguments)
    return of_number(*arguments)


def divided(top: Computed, bottom: Computed) -> Computed:
    """top / bottom, where a number over zero is infinite."""
    if isinstance(top, np.ndarray | complex) or isinstance(bottom, np.ndarray | complex):
        with np.errstate(all="ignore"):
            return np.divide(top, bottom)
    if bottom:
        return top / bottom
    return math.nan if not top or math.isnan(top) else top * math.copysign(math.inf, bottom)


def powered(base: Computed, exponent: Computed) -> Computed:
    """base to the exponent.

    Raises:
        ValueError: for a broken power of a negative number, which is no real number.
    """
    if isinstance(base, np.ndarray | complex) or isinstance(exponent, np.ndarray | complex):
        with np.errstate(all="ignore"):
            return np.power(base, exponent)
    if not base and exponent < 0:
        return math.inf
    result = base**exponent
    if isinstance(result, complex):
        raise ValueError("a broken power of a negative number is no real number")
    return float(result)


def inverted(matrix: Computed) -> Computed:
    """A matrix's inverse; a number's is one over it.

    Raises:
        ValueError: for what has no inverse.
    """
    try:
        return np.linalg.inv(matrix) if np.ndim(matrix) > 1 else divided(1.0, matrix)
    except np.linalg.LinAlgError as error:
        raise ValueError("no inverse") from error


def transposed(part: Computed) -> Computed:
    """The last two dimensions in each other's place."""
    return np.swapaxes(part, -1, -2) if np.ndim(part) > 1 else part


def _multiplied(left: Computed, right: Computed) -> Computed:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left @ right  # numpy raises ValueError for shapes that do not fit
    return left * right


def _outer(left: Computed, right: Computed) -> Computed:
    return np.multiply(np.asarray(left)[..., :, None], np.asarray(right)[..., None, :])


JOINED: dict[str, Callable[[Computed, Computed], Computed]] = {
    "+": lambda x, y: x + y,
    "−": lambda x, y: x - y,
    "·": lambda x, y: x * y,
    "@": _multiplied,
    "⊗": _outer,
    "∨": np.maximum,
}
HOLDS: dict[str, Callable[[Computed, Computed], Any]] = {
    ">": lambda x, y: x > y,
    "<": lambda x, y: x < y,
    "≥": lambda x, y: x >= y,
    "≤": lambda x, y: x <= y,
    "=": lambda x, y: x == y,
    "≠": lambda x, y: x != y,
}
CONSTANTS = {"e": math.e, "π": math.pi, "∞": math.inf, "i": 1j}


def _logarithm(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def _by_element(of_number: Callable[..., float]) -> tuple[Callable[..., float], Callable[..., Any]]:
    return of_number, np.vectorize(of_number, otypes=[np.float64])


def _same(of_array: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return of_array, of_array


def _sign(x: Any) -> Any:
    """x over its length, 0 at 0."""
    if np.iscomplexobj(x):
        return np.where(np.abs(x) == 0, 0, x / np.where(np.abs(x) == 0, 1, np.abs(x)))
    return np.nan_to_num(np.sign(x))


def _triangle(of_array: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return _same(lambda x, diagonal=0: of_array(x, int(diagonal)))


def _turned(x: Any, quarters: float, dims: Any) -> Any:
    return np.rot90(x, int(quarters), (int(dims[0]), int(dims[1])))


def _gaps(values: Any) -> Any:
    """The difference of every two of them, infinite where they are the same one."""
    made = np.asarray(values)[None, :] - np.asarray(values)[:, None]
    np.fill_diagonal(made, np.inf)
    return made


FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
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
    "softplus": (lambda x: math.log1p(math.exp(x)), lambda x: np.log1p(np.exp(x))),
    "isfinite": (lambda x: float(math.isfinite(x)), lambda x: np.isfinite(x).astype(np.float64)),
    "trunc": (math.trunc, np.trunc),
    "floor": (math.floor, np.floor),
    "max": (max, np.maximum),
    "min": (min, np.minimum),
    "sgn": (lambda x: float((x > 0) - (x < 0)), _sign),
    "Re": (float, np.real),
    "Im": (lambda x: 0.0, np.imag),
    "conj": (float, np.conj),
    "isnan": (lambda x: float(math.isnan(x)), lambda x: np.isnan(x).astype(np.float64)),
    "ln Γ": _by_element(math.lgamma),
    "ln σ": (lambda x: -math.log1p(math.exp(-x)), lambda x: -np.log1p(np.exp(-x))),
    "tril": _triangle(np.tril),
    "triu": _triangle(np.triu),
    "rot90": _same(_turned),
    "diag": _same(np.diag),
    "gaps": _same(_gaps),
    "half": _same(lambda x, which: np.split(x, 2, axis=-1)[int(which)]),
    "symmetrised": _same(lambda x: np.tril(x) + np.tril(x, -1).T),
    "identity": _same(lambda sizes: np.eye(int(sizes[0]), int(sizes[1]))),
    "view_as_real": _same(lambda x: np.stack([np.real(x), np.imag(x)], -1)),
    "view_as_complex": _same(lambda x: x[..., 0] + 1j * x[..., 1]),
}
"""How a function of one number, and of many, is computed."""


def _others(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """For each element the product of the others (along an axis)."""
    whole = np.asarray(x) if axis is not None else np.ravel(x)
    along = axis or 0
    parts = [np.prod(np.delete(whole, n, along), axis=along) for n in range(whole.shape[along])]
    return np.stack(parts, along).reshape(np.shape(x))


ALONG: dict[str, Callable[..., Any]] = {
    "mean": lambda x, axis, keepdims: np.mean(x, axis=axis, keepdims=keepdims),
    "sum": lambda x, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims),
    "cumsum": lambda x, axis, keepdims: np.cumsum(x, axis=axis).reshape(np.shape(x)),
    "flip": lambda x, axis, keepdims: np.flip(x, axis=axis),
    "Πⱼ≠ᵢ": _others,
    "cross": lambda x, y, axis, keepdims: np.cross(x, y, axis=-1 if axis is None else axis),
}
"""Functions along dimensions that the formula does not show."""
