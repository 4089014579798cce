"""Orthogonal polynomials of ``torch.special``: ``p(x, n)``. PyTorch does not differentiate them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.core.declare import pointwise
from engine.ops.core.operator import Operator
from engine.ops.pointwise.precision import in_double

FEW = 500
"""Up to this degree the recurrence is followed; beyond it PyTorch's own results are rounding errors or infinite."""


def recurrence(x: Any, n: Any, first: Any, step: Callable[[int, Any, Any], Any]) -> Any:
    """``pₙ(x)`` for each element, from p₀ = 1, p₁ = ``first`` and pₖ₊₁ = ``step(k, pₖ, pₖ₋₁)``; zero for negative n."""
    degree = np.where(np.isfinite(n), n, 0).astype(np.int64)
    before, now = (
        np.ones(np.broadcast_shapes(x.shape, n.shape)),
        np.broadcast_to(first, np.broadcast_shapes(x.shape, n.shape)),
    )
    result = np.where(degree == 0, before, np.where(degree == 1, now, np.zeros_like(before)))
    for k in range(1, min(int(degree.max(initial=0)), FEW)):
        before, now = now, step(k, now, before)
        result = np.where(degree == k + 1, now, result)
    return result


def polynomial(
    name: str,
    what: str,
    first: Callable[[Any], Any],
    step: Callable[[Any], Callable[[int, Any, Any], Any]],
    shifted: bool = False,
) -> Operator:
    """Declares ``torch.special.<name>(x, n)``."""

    def kernel(self: Any, n: Any) -> Any:
        def compute(x: Any, degree: Any) -> Any:
            x, degree = np.asarray(x, np.float64), np.asarray(degree, np.float64)
            at = 2 * x - 1 if shifted else x
            return np.asarray(recurrence(at, degree, first(at), step(at)))

        target = self if hasattr(self, "dtype") else n.dtype.type(self)
        return in_double(compute, target, n if hasattr(n, "dtype") else target.dtype.type(n))

    kernel.__doc__ = f"{what}. PyTorch gives it no derivative."
    return pointwise(
        formula=f"{name}ₙ(x)",
        at="internal",
        aliases=f"special.{name}",
        name=f"special_{name}",
        inplace=False,
        promotes="self n",
        to_float=True,
    )(kernel)


def chebyshev(x: Any) -> Callable[[int, Any, Any], Any]:
    """The recurrence that all four Chebyshev kinds share."""
    return lambda k, now, before: 2 * x * now - before


for _shifted, _prefix in ((False, ""), (True, "shifted_")):
    for _kind, _first in (
        ("t", lambda x: x),
        ("u", lambda x: 2 * x),
        ("v", lambda x: 2 * x - 1),
        ("w", lambda x: 2 * x + 1),
    ):
        polynomial(f"{_prefix}chebyshev_polynomial_{_kind}", "A Chebyshev polynomial", _first, chebyshev, _shifted)
polynomial(
    "hermite_polynomial_h",
    "The physicists' Hermite polynomial",
    lambda x: 2 * x,
    lambda x: lambda k, now, before: 2 * (x * now - k * before),
)
polynomial(
    "hermite_polynomial_he",
    "The statisticians' Hermite polynomial",
    lambda x: x,
    lambda x: lambda k, now, before: x * now - k * before,
)
polynomial(
    "laguerre_polynomial_l",
    "The Laguerre polynomial",
    lambda x: 1 - x,
    lambda x: lambda k, now, before: ((2 * k + 1 - x) * now - k * before) / (k + 1),
)
polynomial(
    "legendre_polynomial_p",
    "The Legendre polynomial",
    lambda x: x,
    lambda x: lambda k, now, before: ((2 * k + 1) * x * now - k * before) / (k + 1),
)
