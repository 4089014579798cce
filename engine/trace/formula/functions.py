"""How a call in a derivative's text is written as mathematics: ``xlogy(x, y)`` is x · ln(y), ``x.square()`` is x²."""

from __future__ import annotations

from collections.abc import Callable

from engine.trace.formula.tree import (
    ABSENT,
    ONE,
    ZERO,
    call,
    chosen,
    fails,
    fraction,
    grouped,
    holds,
    name,
    negative,
    number,
    operator,
    placed,
    power,
    total,
    transpose,
)
from engine.trace.parts import Formula

SAME = frozenset({
    "conj", "contiguous", "clone", "detach", "expand", "reshape", "view", "squeeze", "unsqueeze", "spread_back", "to",
    "expand_as", "reshape_as", "restored", "unsqueezed", "over_batch", "summed_to", "view_as", "real_if_real",
    "view_as_complex", "view_as_real", "conj_physical", "resolve_conj", "type_as", "spread",
})  # fmt: skip
"""Functions that give the same numbers again, repeated or in another shape: the sentence says so, not the formula."""
SWAPPED = frozenset({"t", "mT", "mH", "T", "H", "transpose", "adjoint"})
_PRODUCTS = frozenset({"mm", "bmm", "matmul", "mv", "dot", "vdot"})
_WRITTEN = {
    "log": "ln", "sign": "sgn", "sgn": "sgn", "abs": "abs", "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "sigmoid": "σ", "erf": "erf", "erfinv": "erf⁻¹", "floor": "floor",
    "log2": "log₂", "log10": "log₁₀", "digamma": "ψ", "lgamma": "ln Γ", "relu": "relu", "asin": "arcsin",
    "acos": "arccos", "atan": "arctan", "i0": "I₀", "i1": "I₁", "max": "max", "min": "min", "isnan": "isnan",
    "polygamma_operator": "ψ", "polygamma": "ψ", "zeta": "ζ", "logsigmoid": "ln σ", "softmax": "softmax",
    "log1p": "log1p", "expm1": "expm1", "mean": "mean", "flip": "flip", "roll": "roll", "rot90": "rot90",
    "tril": "tril", "triu": "triu", "diag_embed": "diag", "cross": "cross", "linalg_cross": "cross",
}  # fmt: skip
"""Functions of mathematics, and PyTorch's own that only move numbers, by how they are written."""


def called(function: str, arguments: list[Formula | None]) -> Formula | None:
    """The formula of a call (of a method, its object is the first argument); None where it is not mathematics."""
    first = arguments[0]
    if first is None:
        return None
    if function in SAME:
        return first
    if function in SWAPPED:
        return transpose(first)
    if function in _OF_FIRST:
        return _OF_FIRST[function](first)
    parts = [argument for argument in arguments if argument is not None]
    if len(parts) < len(arguments):
        return None
    if function in _PRODUCTS and len(parts) == 2:
        return operator("@", *parts)
    written = _OF_ALL.get((function, len(parts)))
    if written is not None:
        return written(*parts)
    return call(_WRITTEN[function], *parts) if function in _WRITTEN else None


def scaled(part: Formula, factor: Formula) -> Formula:
    """part · factor, where an absent factor is one."""
    return part if factor in (ONE, ABSENT) else operator("·", part, factor)


def powered(grad: Formula, base: Formula, exponent: Formula) -> Formula:
    """grad · n · xⁿ⁻¹."""
    try:
        less = float(exponent.text) - 1 if exponent.kind == "number" else None
    except ValueError:
        less = None
    if less is None:
        reduced = operator("−", exponent, ONE)
    else:
        reduced = number(str(int(less)) if less == int(less) else f"{less:g}")
    if reduced == ONE:
        return operator("·", grad, exponent, base)
    return operator("·", grad, exponent, power(base, reduced))


def clamped(part: Formula, low: Formula, high: Formula) -> Formula:
    """min(max(part, low), high)."""
    return call("min", call("max", part, low), high)


_OF_FIRST: dict[str, Callable[[Formula], Formula]] = {
    "sum": total,
    "zeros": lambda part: ZERO,
    "zeros_for": lambda part: ZERO,
    "zeros_like": lambda part: ZERO,
    "blank": lambda part: ZERO,
    "logical_not": fails,
    "square": lambda part: power(part, number("2")),
    "rsqrt": lambda part: fraction(ONE, Formula("root", "", [part])),
    "exp": lambda part: power(name("e"), part),
    "sqrt": lambda part: Formula("root", "", [part]),
    "neg": negative,
    "reciprocal": lambda part: fraction(ONE, part),
    "inverse": lambda part: power(part, number("-1")),
}
"""Calls whose further arguments (dimensions) the formula does not show."""
_OF_ALL: dict[tuple[str, int], Callable[..., Formula | None]] = {
    ("power_backward", 3): powered,
    ("threshold_backward", 3): lambda grad, result, bound: operator("·", grad, holds(result, ">", bound)),
    ("mul", 2): scaled,
    ("scaled", 2): scaled,
    ("times", 2): scaled,
    ("where", 3): chosen,
    ("masked_fill", 3): lambda part, condition, filling: chosen(condition, filling, part),
    ("clamp_min", 2): lambda part, low: call("max", part, low),
    ("clamp_max", 2): lambda part, high: call("min", part, high),
    ("clamp", 2): lambda part, low: call("max", part, low),
    ("clamp", 3): clamped,
    ("xlogy", 2): lambda left, right: operator("·", left, call("ln", right)),
    ("ger", 2): lambda left, right: operator("@", left, transpose(right)),
    ("div", 2): fraction,
    ("div_number", 2): fraction,
    ("rounded_quotient", 2): lambda left, right: call("floor", fraction(left, right)),
    ("pow", 2): power,
    ("placed", 2): placed,
    ("divided", 2): fraction,
    ("correlated", 2): lambda left, right: operator("⋆", grouped(left, 0), grouped(right, 0)),
}
