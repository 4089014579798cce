"""The von Mises distribution: a normal distribution on the circle."""

from __future__ import annotations

import math
from typing import Any

from engine import dtype as dtypes
from engine.autograd.modes import no_grad
from engine.distributions import constraints
from engine.distributions.distribution import Distribution
from engine.distributions.parameters import Lazy, broadcast_all
from engine.ops.factories.filled import empty
from engine.ops.random.numbers import rand
from engine.tensor import Tensor

SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
LARGE = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1, 0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1, -0.420059e-2),
)  # fmt: skip
"""Polynomials for the modified Bessel functions of order 0 and 1 (Abramowitz & Stegun, 9.8.1 to 9.8.4)."""


def polynomial(y: Any, coefficients: tuple[float, ...]) -> Any:
    """Horner's scheme, lowest power first."""
    *rest, result = coefficients
    for coefficient in reversed(rest):
        result = coefficient + y * result
    return result


def log_bessel(x: Any, order: int = 0) -> Any:
    """The logarithm of the modified Bessel function of the first kind."""
    small = polynomial((x / 3.75) * (x / 3.75), SMALL[order])
    small = (x.abs() * small if order == 1 else small).log()
    large = x - 0.5 * x.log() + polynomial(3.75 / x, LARGE[order]).log()
    return small.where(x < 3.75, large)


class VonMises(Distribution):
    """An angle around ``loc``, the closer the greater ``concentration``."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    _batched = ("variance",)

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        self._begin(self.loc.shape, (), validate_args)

    mean = mode = property(lambda self: self.loc)

    @Lazy
    def variance(self) -> Tensor:
        """1 − I₁(κ) / I₀(κ), the circular variance."""
        kappa = self.concentration
        result: Tensor = 1 - (log_bessel(kappa, 1) - log_bessel(kappa, 0)).exp()
        return result

    def log_prob(self, value: Tensor) -> Tensor:
        """κ cos(x − μ) − ln 2π − ln I₀(κ)."""
        self._validate_sample(value)
        result: Tensor = self.concentration * (value - self.loc).cos()
        return result - math.log(2 * math.pi) - log_bessel(self.concentration)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Angles by rejection from a wrapped Cauchy (Best & Fisher 1979), in double precision."""
        with no_grad():
            loc, kappa = self.loc.to(dtypes.float64), self.concentration.to(dtypes.float64)
            tau = 1 + (1 + 4 * kappa**2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
            ratio = ((1 + rho**2) / (2 * rho)).where(kappa >= 1e-5, 1 / kappa + kappa)
            x: Any = empty(self._extended_shape(sample_shape), dtype=dtypes.float64)
            done = x != x
            while not done.all():
                u1, u2, u3 = rand((3, *x.shape), dtype=dtypes.float64).unbind()
                z = (math.pi * u1).cos()
                f = (1 + ratio * z) / (ratio + z)
                c = kappa * (ratio - f)
                accepted = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                if accepted.any():
                    x = ((u3 - 0.5).sign() * f.acos()).where(accepted, x)
                    done = done | accepted
            angle: Tensor = (x + math.pi + loc) % (2 * math.pi) - math.pi
            return angle.to(self.loc.dtype)
