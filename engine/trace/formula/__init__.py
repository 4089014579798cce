"""Formulas: a derivative's text as a typed tree, with names in, with numbers in, as a line of text, and as a number.

`build` (`engine.trace.formula.building`) walks Python's syntax tree of a derivative (``grad * other``); a function says
what stands for each name, so the same text gives ∂d/∂c · b and 1 · 4. `plain` writes a tree on one line, `evaluate`
computes it: what is shown can be checked.
"""

from engine.trace.formula.building import build, names_in, parsed
from engine.trace.formula.evaluation import evaluate, gives, is_along_dimensions
from engine.trace.formula.line import plain
from engine.trace.formula.moves import is_placed
from engine.trace.formula.moves import text as words
from engine.trace.formula.tree import (
    ATOM,
    ZERO,
    call,
    conjugate,
    distinct,
    equals,
    leaves,
    name,
    number,
    operator,
    partial,
    replaced,
    strength,
    total,
)

__all__ = [
    "ATOM", "ZERO", "build", "call", "conjugate", "distinct", "equals", "evaluate", "gives", "is_along_dimensions", "is_placed",
    "leaves", "name", "names_in", "number", "operator", "parsed", "partial", "plain", "replaced", "strength", "total", "words",
]  # fmt: skip
