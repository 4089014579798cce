"""Python's operators on tensors that no family file has bound yet: reflections, and ``x += y``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.pointwise.arithmetic import positive, rsub
from engine.ops.pointwise.division import floor_divide, remainder
from engine.tensor import Tensor

OPERANDS = (Tensor, bool, int, float, complex)


def operand(other: Any) -> Any:
    """A tensor or number, numpy's as ours; NotImplemented for strangers.

    Arrays are strangers too, as in PyTorch: ``tensor + array`` is numpy's sum, and numpy asks for a tensor without grad.
    """
    if isinstance(other, np.generic):
        return other.item()
    return other if isinstance(other, OPERANDS) else NotImplemented


def left(function: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    """``tensor ∘ other``."""

    def call(self: Tensor, other: Any) -> Any:
        value = operand(other)
        return NotImplemented if value is NotImplemented else function(self, value)

    return call


def right(function: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    """``other ∘ tensor``."""

    def call(self: Tensor, other: Any) -> Any:
        value = operand(other)
        return NotImplemented if value is NotImplemented else function(value, self)

    return call


def floor_divided(dividend: Any, divisor: Tensor) -> Tensor:
    """``number // tensor``: the number becomes a tensor of no history."""
    if not isinstance(dividend, Tensor):
        whole = isinstance(dividend, int) or divisor.is_floating_point()
        dividend = TABLES["torch"]["tensor"](dividend, dtype=divisor.dtype if whole else None)
    return floor_divide(dividend, divisor)


Tensor.__rsub__ = left(rsub)
Tensor.__floordiv__ = left(floor_divide)
Tensor.__rfloordiv__ = right(floor_divided)
Tensor.__mod__ = left(remainder)
Tensor.__rmod__ = right(remainder)
Tensor.__pos__ = lambda self: positive(self)
Tensor.__abs__ = lambda self: TABLES["torch"]["abs"](self)

for _dunder, _name in {
    "iadd": "add_",
    "isub": "sub_",
    "imul": "mul_",
    "itruediv": "div_",
    "ifloordiv": "floor_divide_",
    "imod": "remainder_",
    "ipow": "pow_",
    "iand": "bitwise_and_",
    "ior": "bitwise_or_",
    "ixor": "bitwise_xor_",
    "ilshift": "bitwise_left_shift_",
    "irshift": "bitwise_right_shift_",
}.items():
    setattr(Tensor, f"__{_dunder}__", left(TABLES["tensor"][_name]))
