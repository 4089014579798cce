"""Arithmetic that claims assert."""

from __future__ import annotations

import numpy as np

from engine.trace.agreement import close, numbers_of
from engine.trace.parts import Formula, Value


def same_sums(left: Value, right: Value, total: Value) -> bool:
    """Whether left + right = total, as far as the three hold their elements."""
    first, second, whole = numbers_of(left), numbers_of(right), numbers_of(total)
    if first is None or second is None or whole is None:
        return True
    with np.errstate(invalid="ignore"):
        return close(first + second, whole)


def only_numbers(formula: Formula) -> bool:
    """Whether it has no names."""
    return formula.kind not in ("name", "partial") and all(map(only_numbers, formula.parts))
