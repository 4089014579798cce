"""Overloads that PyTorch still takes though it calls them deprecated: factors in front of what they multiply.

Old code is full of them: ``distances.addmm_(1, -2, x, y.t())``, ``average.add_(0.1, grad)``, ``p.addcdiv_(-rate, mean, root)``.
A call is looked at only when the signature of today has refused it. So is one that spells out a row of dimensions where one of them
is the rule: ``x.squeeze(0, 2)``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.tensor import Tensor

SCALED = dict.fromkeys(("add", "sub", "subtract"), ("alpha", 2)) | dict.fromkeys(("addcmul", "addcdiv"), ("value", 3))
"""Operators with one factor, second in the old form: its name, and how many tensors there are."""
WEIGHTED = frozenset({"addmm", "addmv", "addr", "addbmm", "baddbmm"})
"""Operators with a factor of what is added to (first in functions, second in methods) and perhaps one of the product."""

NUMBER_FIRST = frozenset("bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift".split())
"""Functions whose first operand may be a number."""

IN_A_ROW = frozenset({"squeeze", "count_nonzero"})
"""Methods that take several dimensions without parentheses too."""


class _Told:
    """PyTorch warns of them once in a process."""

    once = False


def in_todays_form(name: str, args: Sequence[Any]) -> tuple[list[Any], dict[str, Any]] | None:
    """Arguments and keywords that today's signature takes for a call in the old form; None if it is no such call."""
    plain = name.rstrip("_")
    if (
        plain in IN_A_ROW
        and len(args) > 2
        and isinstance(args[0], Tensor)
        and all(type(each) is int for each in args[1:])
    ):
        return [args[0], tuple(args[1:])], {}
    tensors = [each for each in args if isinstance(each, Tensor)]
    numbers = [each for each in args if isinstance(each, int | float | complex)]
    if len(tensors) + len(numbers) != len(args):
        return None
    kinds = [isinstance(each, Tensor) for each in args]
    if plain in NUMBER_FIRST and name == plain and kinds == [False, True]:
        return [Tensor._output_again(np.asarray(args[0])[()], None, None, 0), args[1]], {}
    if name == "add_" and kinds == [True, True, False]:
        warn(name)
        return tensors, {"alpha": numbers[0]}
    if plain in SCALED:
        factor, count = SCALED[plain]
        if kinds != [True, False, *[True] * (count - 1)]:
            return None
        warn(name)
        return tensors, {factor: numbers[0]}
    if plain not in WEIGHTED or len(tensors) != 3 or not all(kinds[-2:]):
        return None
    if kinds[:-2] in ([True, False], [False, True], [True, False, False], [False, True, False]):
        warn(name)
        return tensors, dict(zip(("beta", "alpha"), numbers, strict=False))
    return None


def warn(name: str) -> None:
    """Says so, the first time."""
    if not _Told.once:
        _Told.once = True
        warnings.warn(
            f"This overload of {name} is deprecated:\nits factors stand in front of tensors.\nWrite them as keywords "
            "(alpha=, beta=, value=) behind the tensors instead.",
            stacklevel=5,
        )
