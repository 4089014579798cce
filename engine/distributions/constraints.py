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

    lower_bound: Any = None
    """The limit below, if there is one."""
    upper_bound: Any = None
    """The limit above, if there is one."""
    base_constraint: Any = None
    """What each element of an `independent` constraint satisfies."""

    def __init__(
        self,
        shown: str,
        check: Check,
        *,
        is_discrete: bool = False,
        event_dim: int = 0,
        bounds: tuple[Any, Any] = (None, None),
    ) -> None:
        self._shown = shown
        self._check = check
        self.is_discrete = is_discrete
        self.event_dim = event_dim
        self.lower_bound, self.upper_bound = bounds

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
    shown = f"GreaterThan(lower_bound={lower_bound})"
    return Constraint(shown, lambda x: x > bound(lower_bound), bounds=(lower_bound, None))


def greater_than_eq(lower_bound: Any) -> Constraint:
    """Not below ``lower_bound``."""
    shown = f"GreaterThanEq(lower_bound={lower_bound})"
    return Constraint(shown, lambda x: x >= bound(lower_bound), bounds=(lower_bound, None))


def less_than(upper_bound: Any) -> Constraint:
    """Below ``upper_bound``."""
    shown = f"LessThan(upper_bound={upper_bound})"
    return Constraint(shown, lambda x: x < bound(upper_bound), bounds=(None, upper_bound))


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Between the bounds, both included."""
    shown = f"Interval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    return Constraint(
        shown, lambda x: (bound(lower_bound) <= x) & (x <= bound(upper_bound)), bounds=(lower_bound, upper_bound)
    )


def half_open_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Between the bounds, the lower one included."""
    shown = f"HalfOpenInterval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    return Constraint(
        shown, lambda x: (bound(lower_bound) <= x) & (x < bound(upper_bound)), bounds=(lower_bound, upper_bound)
    )


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

    made = Constraint(
        f"IndependentConstraint({base!r}, {dims})",
        check,
        is_discrete=base.is_discrete,
        event_dim=base.event_dim + dims,
    )
    made.base_constraint = base
    return made


def multinomial(total_count: int) -> Constraint:
    """Counts that add up to ``total_count``."""
    return Constraint(
        "Multinomial()",
        lambda x: (x >= 0).all(-1) & (x.sum(-1) <= total_count),
        is_discrete=True,
        event_dim=1,
        bounds=(0, total_count),
    )


def mixture(component: Constraint) -> Constraint:
    """What every component of a mixture may give."""

    def check(x: Any) -> Any:
        held = component._check(np.expand_dims(x, -1 - component.event_dim))
        return held.reshape(*x.shape[: x.ndim - component.event_dim], -1).all(-1)

    return Constraint(f"MixtureSameFamilyConstraint({component!r})", check, event_dim=component.event_dim)


def is_symmetric(x: Any) -> Any:
    """Equal to its transpose, up to rounding."""
    return np.isclose(x, np.swapaxes(x, -1, -2), atol=1e-6).all((-2, -1))


def is_positive_definite(x: Any) -> Any:
    """Symmetric, and with positive eigenvalues only."""
    return is_symmetric(x) & (np.linalg.eigvalsh(x) > 0).all(-1)


def is_lower_cholesky(x: Any) -> Any:
    """Zero above the diagonal, positive on it."""
    return (np.tril(x) == x).all((-2, -1)) & (np.diagonal(x, axis1=-2, axis2=-1) > 0).all(-1)


def is_corr_cholesky(x: Any) -> Any:
    """A Cholesky factor whose rows have length 1."""
    length = np.linalg.norm(x, axis=-1)
    return is_lower_cholesky(x) & (np.abs(length - 1) <= np.finfo(x.dtype).eps * x.shape[-1] * 10).all(-1)


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
positive_integer = Constraint("IntegerGreaterThan(lower_bound=1)", lambda x: (x % 1 == 0) & (x >= 1), is_discrete=True)
square = Constraint("Square()", lambda x: np.full(x.shape[:-2], x.shape[-2] == x.shape[-1]), event_dim=2)
symmetric = Constraint("Symmetric()", is_symmetric, event_dim=2)
positive_semidefinite = Constraint(
    "PositiveSemidefinite()", lambda x: is_symmetric(x) & (np.linalg.eigvalsh(x) >= 0).all(-1), event_dim=2
)
positive_definite = Constraint("PositiveDefinite()", is_positive_definite, event_dim=2)
lower_triangular = Constraint("LowerTriangular()", lambda x: (np.tril(x) == x).all((-2, -1)), event_dim=2)
lower_cholesky = Constraint("LowerCholesky()", is_lower_cholesky, event_dim=2)
corr_cholesky = Constraint("CorrCholesky()", is_corr_cholesky, event_dim=2)
