"""How a call in a derivative's text is written as mathematics: ``xlogy(x, y)`` is x · ln(y), ``x.square()`` is x²."""

from __future__ import annotations

import functools
from collections.abc import Callable

from engine.trace.formula.moves import erased, part, permuted, placed, reach, slot, through
from engine.trace.formula.tree import (
    ABSENT,
    ONE,
    ZERO,
    call,
    chosen,
    conjugate,
    fails,
    fraction,
    holds,
    inverse,
    name,
    negative,
    number,
    operator,
    power,
    total,
    transpose,
)
from engine.trace.parts import Formula

SAME = frozenset({
    "contiguous", "clone", "detach", "expand", "reshape", "view", "squeeze", "unsqueeze", "spread_back", "to",
    "expand_as", "reshape_as", "restored", "unsqueezed", "over_batch", "view_as", "real_if_real",
    "resolve_conj", "type_as", "spread",
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
    "log1p": "log1p", "expm1": "expm1", "rot90": "rot90", "tril": "tril", "triu": "triu", "diag_embed": "diag",
    "cross": "cross", "linalg_cross": "cross", "isfinite": "isfinite", "softplus": "softplus", "phi": "Φ",
    "i0e": "I₀ₑ", "i1e": "I₁ₑ", "pixel_shuffle": "pixel_shuffle", "pixel_unshuffle": "pixel_unshuffle",
    "channel_shuffle": "channel_shuffle", "fold": "fold", "unfold": "unfold", "avg_pool": "avg_pool",
    "pad": "pad", "interpolate": "interpolate", "affine_grid": "affine_grid",
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
    return part if factor in (ONE, ABSENT) or part == ZERO else operator("·", part, factor)


def powered(grad: Formula, base: Formula, exponent: Formula) -> Formula:
    """grad · n · xⁿ⁻¹."""
    if exponent in (ZERO, ONE):
        return grad if exponent == ONE else ZERO
    try:
        less = float(exponent.text.replace("−", "-")) - 1 if exponent.kind == "number" else None
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


def multigamma_slope(x: Formula, p: Formula) -> Formula:
    """ψ(x) + ψ(x − 1/2) + … + ψ(x − (p − 1)/2), the slope of ln Γₚ; as a sum over k where these are many."""
    if not p.text.isdigit() or not 0 < int(p.text) <= MOST_TERMS:
        return total(call("ψ", operator("−", x, fraction(name("k"), number("2")))))
    shifted = [x, *(operator("−", x, number(f"{place / 2:g}")) for place in range(1, int(p.text)))]
    terms = [call("ψ", each) for each in shifted]
    return terms[0] if len(terms) == 1 else operator("+", *terms)


MOST_TERMS = 6
"""Terms of a sum that are written out."""


_OF_FIRST: dict[str, Callable[[Formula], Formula]] = {
    "sum": total,
    "summed_to": total,
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
    "exp2": lambda part: power(number("2"), part),
    "inverse": inverse,
    "conj": conjugate,
    "conj_physical": conjugate,
    "others": functools.partial(call, "Πⱼ≠ᵢ"),
    "flip": functools.partial(call, "flip"),
    "cumsum": functools.partial(call, "cumsum"),
    "roll": functools.partial(call, "roll"),
    "mean": functools.partial(call, "mean"),
    "joined": lambda parts: parts,
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
    ("ger", 2): functools.partial(operator, "⊗"),
    ("multigamma_slope", 2): multigamma_slope,
    ("symmetrised", 1): functools.partial(call, "symmetrised"),
    ("identity", 1): functools.partial(call, "identity"),
    ("view_as_real", 1): functools.partial(call, "view_as_real"),
    ("view_as_complex", 1): functools.partial(call, "view_as_complex"),
    ("half", 2): functools.partial(call, "half"),
    ("gaps", 1): functools.partial(call, "gaps"),
    ("div", 2): fraction,
    ("div_number", 2): fraction,
    ("pow", 2): power,
    ("rounded_down", 2): lambda left, right: call("floor", fraction(left, right)),
    ("rounded_off", 2): lambda left, right: call("trunc", fraction(left, right)),
    ("xlog1py", 2): lambda left, right: operator("·", left, call("log1p", right)),
    ("placed", 2): placed,
    ("part", 2): part,
    ("erased", 2): erased,
    ("through", 2): through,
    ("slot", 2): slot,
    ("reach", 4): reach,
    ("permuted", 2): permuted,
    ("side_by_side", 2): lambda left, right: call("cat", left, right),
    ("adjoint_of", 2): lambda function, grad: call(f"{function.text}ᵀ", grad),
    ("convolved", 2): lambda left, right: operator("∗", left, right),
    ("correlated", 2): lambda left, right: operator("⋆", left, right),
}
