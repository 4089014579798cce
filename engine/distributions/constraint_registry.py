"""``biject_to`` and ``transform_to``: from unconstrained numbers to what a constraint allows.

``transform_to`` gives the transform that is easy to optimise through, ``biject_to`` one that is bijective; they differ for
the simplex only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.distributions import constraints
from engine.distributions.constraint import Constraint
from engine.distributions.corr_cholesky_transform import CorrCholeskyTransform
from engine.distributions.dependent import is_dependent
from engine.distributions.event_transforms import (
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)
from engine.distributions.joined_constraints import Cat, Stack
from engine.distributions.joined_transforms import CatTransform, StackTransform
from engine.distributions.pointwise_transforms import AffineTransform, ExpTransform, SigmoidTransform
from engine.distributions.transform import ComposeTransform, Transform

Factory = Callable[[Any], Transform]


class ConstraintRegistry:
    """Transforms by constraint; called with a constraint, gives its transform."""

    def __init__(self, simplex: Factory) -> None:
        self._own: dict[int, tuple[Constraint, Factory]] = {}
        self._simplex = simplex

    def register(self, constraint: Constraint, factory: Factory | None = None) -> Any:
        """Declares ``factory(constraint)``; without ``factory``, as a decorator."""
        if factory is None:
            return lambda made: self.register(constraint, made)
        self._own[id(constraint)] = constraint, factory
        return factory

    def __call__(self, constraint: Constraint) -> Transform:
        """The transform.

        Raises:
            NotImplementedError: there is none for this constraint.
        """
        if id(constraint) in self._own:
            return self._own[id(constraint)][1](constraint)
        if not isinstance(constraint, Constraint) or is_dependent(constraint):
            kind = "_Dependent" if is_dependent(constraint) else type(constraint).__name__
            raise NotImplementedError(f"Cannot transform {kind} constraints")
        inner = getattr(constraint, "base_constraint", None)
        if inner is not None:
            return IndependentTransform(self(inner), constraint.event_dim - inner.event_dim)
        if constraint is constraints.real:
            return ComposeTransform([])
        if constraint is constraints.simplex:
            return self._simplex(constraint)
        if isinstance(constraint, Cat):
            return CatTransform([self(each) for each in constraint.cseq], constraint.dim, constraint.lengths)
        if isinstance(constraint, Stack):
            return StackTransform([self(each) for each in constraint.cseq], constraint.dim)
        if constraint is constraints.corr_cholesky:
            return CorrCholeskyTransform()
        if constraint is constraints.lower_cholesky:
            return LowerCholeskyTransform()
        if constraint is constraints.positive_definite or constraint is constraints.positive_semidefinite:
            return PositiveDefiniteTransform()
        bounds = (getattr(constraint, name, None) for name in ("lower_bound", "upper_bound"))
        made = None if constraint.is_discrete else from_bounds(*bounds)
        if made is None:
            raise NotImplementedError(f"Cannot transform _{repr(constraint).partition('(')[0]} constraints")
        return made


def from_bounds(lower: Any, upper: Any) -> Transform | None:
    """All numbers to those between the bounds; None without bounds."""
    if lower is not None and upper is not None:
        if isinstance(lower, int | float) and isinstance(upper, int | float) and (lower, upper) == (0, 1):
            return SigmoidTransform()
        return ComposeTransform([SigmoidTransform(), AffineTransform(lower, upper - lower)])
    if lower is not None:
        return ComposeTransform([ExpTransform(), AffineTransform(lower, 1)])
    if upper is not None:
        return ComposeTransform([ExpTransform(), AffineTransform(upper, -1)])
    return None


biject_to = ConstraintRegistry(lambda _: StickBreakingTransform())
transform_to = ConstraintRegistry(lambda _: SoftmaxTransform())
