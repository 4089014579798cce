"""Gamma and Dirichlet draws that gradients flow through.

A draw is a function of its concentration α and of noise u that does not depend on it: x(α) = F⁻¹(u; α), F being the
distribution function. So dx/dα at fixed u is how the inverse of F moves, found here by a central difference of SciPy's
accurate inverses (Figurnov et al., "Implicit reparameterization gradients", 2018).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.late import Late
from engine.ops.core.declare import operator
from engine.ops.random.state import source
from engine.tensor import Tensor, wrap

if TYPE_CHECKING:
    from engine.random import distributions as random
else:
    random = Late("engine.random.distributions")

STEP = 1e-5
"""Relative step of the central difference: its error (∝ step²) and float64's (∝ 1 / step) balance about here."""


def gamma_slope(alpha: Any, value: Any) -> Any:
    """d value / d alpha at fixed noise."""
    from scipy import special

    alpha, value = np.asarray(alpha, np.float64), np.asarray(value, np.float64)
    step = alpha * STEP
    lower_half = special.gammainc(alpha, value) < 0.5
    noise = np.where(lower_half, special.gammainc(alpha, value), special.gammaincc(alpha, value))

    def inverse(at: Any) -> Any:
        return np.where(lower_half, special.gammaincinv(at, noise), special.gammainccinv(at, noise))

    return (inverse(alpha + step) - inverse(alpha - step)) / (2 * step)


def gamma_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """grad · dx/dα."""
    slope = gamma_slope(self._array, result._array).astype(result._array.dtype)
    return grad * wrap(slope)


@operator(
    at="torch", name="_standard_gamma",
    self=lambda grad, self, result: gamma_backward(grad, self, result),
)  # fmt: skip
def standard_gamma(self: Any, generator: Any = None) -> Any:
    """Draws a gamma number at rate 1 for each concentration, none below zero; a larger concentration makes the same
    draw larger.
    """
    return random.standard_gamma(source(generator, "_standard_gamma"), np.asarray(self))


def dirichlet_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """Each share is a beta number of (α, rest); moving it takes from the others in proportion."""
    from scipy import special

    alpha, shares = np.asarray(self._array, np.float64), np.asarray(result._array, np.float64)
    rest = alpha.sum(-1, keepdims=True) - alpha
    step = alpha * STEP
    noise = special.betainc(alpha, rest, shares)
    slope = (special.betaincinv(alpha + step, rest, noise) - special.betaincinv(alpha - step, rest, noise)) / (2 * step)
    moved = wrap((slope / (1 - shares)).astype(result._array.dtype))
    gradient: Tensor = moved * (grad - (result * grad).sum(-1, True))
    return gradient


@operator(
    at="torch", name="_sample_dirichlet", grad_fn="_DirichletBackward",
    self=lambda grad, self, result: dirichlet_backward(grad, self, result),
)  # fmt: skip
def sample_dirichlet(self: Any, generator: Any = None) -> Any:
    """Draws shares of 1 along the last dimension; the gradient keeps their sum at 1."""
    return random.dirichlet(source(generator, "_sample_dirichlet"), np.asarray(self))
