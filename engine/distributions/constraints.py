"""``torch.distributions.constraints``: what a parameter or a value must satisfy.

Checked on the bare arrays: asking whether a number is allowed is no step of the program.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.distributions.constraint import Condition, Constraint
from engine.distributions.dependent import Dependent, DependentProperty, is_dependent
from engine.distributions.joined_constraints import Cat, Stack
from engine.tensor import Tensor, wrap

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]


def bound(value: Any) -> Any:
    """A limit given as a number or a tensor, for computing with arrays."""
    return value._array if isinstance(value, Tensor) else value


def greater_than(lower_bound: Any) -> Constraint:
    """Above ``lower_bound``."""
    shown = f"GreaterThan(lower_bound={lower_bound})"
    return Condition(shown, lambda x: x > bound(lower_bound), bounds=(lower_bound, None))


def greater_than_eq(lower_bound: Any) -> Constraint:
    """Not below ``lower_bound``."""
    shown = f"GreaterThanEq(lower_bound={lower_bound})"
    return Condition(shown, lambda x: x >= bound(lower_bound), bounds=(lower_bound, None))


def less_than(upper_bound: Any) -> Constraint:
    """Below ``upper_bound``."""
    shown = f"LessThan(upper_bound={upper_bound})"
    return Condition(shown, lambda x: x < bound(upper_bound), bounds=(None, upper_bound))


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Between the bounds, both included."""
    shown = f"Interval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    return Condition(
        shown, lambda x: (bound(lower_bound) <= x) & (x <= bound(upper_bound)), bounds=(lower_bound, upper_bound)
    )


def half_open_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Between the bounds, the lower one included."""
    shown = f"HalfOpenInterval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    return Condition(
        shown, lambda x: (bound(lower_bound) <= x) & (x < bound(upper_bound)), bounds=(lower_bound, upper_bound)
    )


def integer_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """A whole number between the bounds, both included."""
    shown = f"IntegerInterval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    return Condition(
        shown,
        lambda x: (x % 1 == 0) & (bound(lower_bound) <= x) & (x <= bound(upper_bound)),
        is_discrete=True,
        bounds=(lower_bound, upper_bound),
    )


def integer_greater_than(lower_bound: int) -> Constraint:
    """A whole number not below ``lower_bound``, in spite of the name that PyTorch shows."""
    shown = f"IntegerGreaterThan(lower_bound={lower_bound})"
    return Condition(shown, lambda x: (x % 1 == 0) & (x >= lower_bound), is_discrete=True, bounds=(lower_bound, None))


def independent(base: Constraint, dims: int) -> Constraint:
    """``base`` for all of the last ``dims`` dimensions at once."""

    def check(x: Any) -> Any:
        held = base._holds(wrap(x))
        return held.reshape(*held.shape[: held.ndim - dims], -1).all(-1)

    made = Condition(
        f"IndependentConstraint({base!r}, {dims})",
        check,
        is_discrete=base.is_discrete,
        event_dim=base.event_dim + dims,
    )
    made.base_constraint = base
    return made


def multinomial(total_count: int) -> Constraint:
    """Counts that add up to ``total_count``."""
    return Condition(
        "Multinomial()",
        lambda x: (x >= 0).all(-1) & (x.sum(-1) <= total_count),
        is_discrete=True,
        event_dim=1,
        bounds=(None, total_count),
    )


def mixture(component: Constraint) -> Constraint:
    """What every component of a mixture may give."""

    def check(x: Any) -> Any:
        held = component._holds(wrap(np.expand_dims(x, -1 - component.event_dim)))
        return held.reshape(*x.shape[: x.ndim - component.event_dim], -1).all(-1)

    return Condition(f"MixtureSameFamilyConstraint({component!r})", check, event_dim=component.event_dim)


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


dependent, dependent_property = Dependent(), DependentProperty
cat, stack = Cat, Stack
MixtureSameFamilyConstraint = mixture

real = Condition("Real()", lambda x: x == x)
real_vector = independent(real, 1)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
boolean = Condition("Boolean()", lambda x: (x == 0) | (x == 1), is_discrete=True)
nonnegative_integer = integer_greater_than(0)
simplex = Condition("Simplex()", is_simplex, event_dim=1)
one_hot = Condition(
    "OneHot()",
    lambda x: ((x == 0) | (x == 1)).all(-1) & (x.sum(-1) == 1),
    is_discrete=True,
    event_dim=1,
)
positive_integer = integer_greater_than(1)
square = Condition("Square()", lambda x: np.full(x.shape[:-2], x.shape[-2] == x.shape[-1]), event_dim=2)
symmetric = Condition("Symmetric()", is_symmetric, event_dim=2)
positive_semidefinite = Condition(
    "PositiveSemidefinite()", lambda x: is_symmetric(x) & (np.linalg.eigvalsh(x) >= 0).all(-1), event_dim=2
)
positive_definite = Condition("PositiveDefinite()", is_positive_definite, event_dim=2)
lower_triangular = Condition("LowerTriangular()", lambda x: (np.tril(x) == x).all((-2, -1)), event_dim=2)
lower_cholesky = Condition("LowerCholesky()", is_lower_cholesky, event_dim=2)
corr_cholesky = Condition("CorrCholesky()", is_corr_cholesky, event_dim=2)
