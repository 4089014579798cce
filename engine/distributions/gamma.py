"""Gamma, beta and Dirichlet."""

from __future__ import annotations

from typing import Any

from engine.distributions import constraints
from engine.distributions.exponential_family import ExponentialFamily
from engine.distributions.parameters import broadcast_all, function_of, functional
from engine.ops.factories.creation import as_tensor, tensor
from engine.ops.layout.joining import stack
from engine.ops.random.gamma_draws import sample_dirichlet, standard_gamma
from engine.tensor import Tensor
from engine.type_info import finfo


class Gamma(ExponentialFamily):
    """Waiting time for ``concentration`` events that happen at ``rate``."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    concentration: Tensor
    rate: Tensor

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self._begin_with(validate_args, concentration=concentration, rate=rate)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.pow(2))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """A gamma number at rate 1, divided by the rate."""
        shape = self._extended_shape(sample_shape)
        value: Tensor = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=finfo(value.dtype).tiny)
        return value

    def log_prob(self, value: Any) -> Tensor:
        """α ln β + (α − 1) ln x − βx − ln Γ(α)."""
        value = as_tensor(value, dtype=self.rate.dtype)
        self._validate_sample(value)
        alpha, beta = self.concentration, self.rate
        return alpha.xlogy(beta) + (alpha - 1).xlogy(value) - beta * value - alpha.lgamma()

    def cdf(self, value: Tensor) -> Tensor:
        """The regularised lower incomplete gamma function of α at βx."""
        self._validate_sample(value)
        return function_of("special", "gammainc")(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        """α − ln β + ln Γ(α) + (1 − α) ψ(α)."""
        alpha = self.concentration
        return alpha - self.rate.log() + alpha.lgamma() + (1.0 - alpha) * alpha.digamma()


class Chi2(Gamma):
    """Sum of ``df`` squared standard normal numbers."""

    arg_constraints = {"df": constraints.positive}
    _batched = ("concentration", "rate")

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    df = property(lambda self: self.concentration * 2)


class Dirichlet(ExponentialFamily):
    """Shares of 1, as gamma numbers give them.

    Raises:
        ValueError: no dimension of shares.
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        self._begin(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    mean = property(lambda self: self.concentration / self.concentration.sum(-1, True))

    @property
    def mode(self) -> Tensor:
        """(α − 1) / Σ (α − 1), negative ones as 0; where all α are below 1, one corner of the simplex."""
        shifted = (self.concentration - 1).clamp(min=0.0)
        mode: Tensor = shifted / shifted.sum(-1, True)
        corner = (self.concentration < 1).all(dim=-1)
        one_hot = functional("one_hot")(mode[corner].argmax(dim=-1), shifted.shape[-1])
        mode[corner] = one_hot.to(mode.dtype)
        return mode

    @property
    def variance(self) -> Tensor:
        """α (α₀ − α) / (α₀² (α₀ + 1))."""
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Shares."""
        return sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Σ (α − 1) ln x + ln Γ(Σ α) − Σ ln Γ(α)."""
        self._validate_sample(value)
        alpha = self.concentration
        return (alpha - 1.0).xlogy(value).sum(-1) + alpha.sum(-1).lgamma() - alpha.lgamma().sum(-1)

    def entropy(self) -> Tensor:
        """Σ ln Γ(α) − ln Γ(α₀) − (k − α₀) ψ(α₀) − Σ (α − 1) ψ(α)."""
        alpha, total, k = self.concentration, self.concentration.sum(-1), self.concentration.shape[-1]
        spread = ((alpha - 1.0) * alpha.digamma()).sum(-1)
        return alpha.lgamma().sum(-1) - total.lgamma() - (k - total) * total.digamma() - spread


class Beta(ExponentialFamily):
    """A share between 0 and 1: a Dirichlet of two."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    _batched = ("_dirichlet",)

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if isinstance(concentration1, int | float) and isinstance(concentration0, int | float):
            both = tensor([float(concentration1), float(concentration0)])
        else:
            both = stack(list(broadcast_all(concentration1, concentration0)), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        self._begin(self._dirichlet.batch_shape, (), validate_args)

    concentration1 = property(lambda self: self._dirichlet.concentration[..., 0])
    concentration0 = property(lambda self: self._dirichlet.concentration[..., 1])
    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = property(lambda self: self._dirichlet.mode[..., 0])

    @property
    def variance(self) -> Tensor:
        """αβ / ((α + β)² (α + β + 1))."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """The first share of two."""
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        """The Dirichlet's at (x, 1 − x)."""
        self._validate_sample(value)
        return self._dirichlet.log_prob(stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        """The Dirichlet's."""
        return self._dirichlet.entropy()
