"""``torch.distributions.constraints``: what a parameter or a value must satisfy.

Checked on the bare arrays: asking whether a number is allowed is no step of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.tensor import Tensor

Check = Callable[[Any], Any]


class Constraint:
    """A named condition; ``event_dim`` trailing dimensions make one value."""

    def __init__(self, shown: str, check: Check, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        self._shown = shown
        self._check = check
        self.is_discrete = is_discrete
        self.event_dim = event_dim

    def holds(self, value: Tensor) -> np.ndarray:
        """Per value, whether the condition holds."""
        return np.asarray(self._check(np.asarray(value._array)))

    def check(self, value: Tensor) -> Tensor:
        """The same as a tensor of booleans."""
        return Tensor._output_again(self.holds(value), None, None, 0)

    def __repr__(self) -> str:
        return self._shown


def bound(value: Any) -> Any:
    """A limit given as a number or a tensor, for computing with arrays."""
    return value._array if isinstance(value, Tensor) else value


def greater_than(lower_bound: Any) -> Constraint:
    """Above ``lower_bound``."""
    return Constraint(f"GreaterThan(lower_bound={lower_bound})", lambda x: x > bound(lower_bound))


def greater_than_eq(lower_bound: Any) -> Constraint:
    """Not below ``lower_bound``."""
    return Constraint(f"GreaterThanEq(lower_bound={lower_bound})", lambda x: x >= bound(lower_bound))


def less_than(upper_bound: Any) -> Constraint:
    """Below ``upper_bound``."""
    return Constraint(f"LessThan(upper_bound={upper_bound})", lambda x: x < bound(upper_bound))


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Between the bounds, both included."""
    shown = f"Interval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    return Constraint(shown, lambda x: (bound(lower_bound) <= x) & (x <= bound(upper_bound)))


def integer_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """A whole number between the bounds, both included."""
    shown = f"IntegerInterval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    return Constraint(
        shown, lambda x: (x % 1 == 0) & (bound(lower_bound) <= x) & (x <= bound(upper_bound)), is_discrete=True
    )


def independent(base: Constraint, dims: int) -> Constraint:
    """``base`` for all of the last ``dims`` dimensions at once."""

    def check(x: Any) -> Any:
        held = base._check(x)
        return held.reshape(*held.shape[: held.ndim - dims], -1).all(-1)

    return Constraint(
        f"IndependentConstraint({base!r}, {dims})",
        check,
        is_discrete=base.is_discrete,
        event_dim=base.event_dim + dims,
    )


def is_simplex(x: Any) -> Any:
    """Not negative, and adding up to 1."""
    return (x >= 0).all(-1) & (np.abs(x.sum(-1) - 1) < 1e-6)


real = Constraint("Real()", lambda x: x == x)
real_vector = independent(real, 1)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
boolean = Constraint("Boolean()", lambda x: (x == 0) | (x == 1), is_discrete=True)
nonnegative_integer = Constraint(
    "IntegerGreaterThan(lower_bound=0)", lambda x: (x % 1 == 0) & (x >= 0), is_discrete=True
)
simplex = Constraint("Simplex()", is_simplex, event_dim=1)
one_hot = Constraint(
    "OneHot()",
    lambda x: ((x == 0) | (x == 1)).all(-1) & (x.sum(-1) == 1),
    is_discrete=True,
    event_dim=1,
)
