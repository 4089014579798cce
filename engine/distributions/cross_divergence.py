"""Divergences between different families, and between those made by transforming; see `engine.distributions.divergence`."""

from __future__ import annotations

import math
from typing import Any

from engine.distributions.continuous import Exponential, Laplace, Uniform
from engine.distributions.counts import Binomial, Poisson
from engine.distributions.discrete import Bernoulli
from engine.distributions.divergence import kl_divergence, register_kl
from engine.distributions.extremes import EULER, Gumbel, Pareto, filled_like
from engine.distributions.gamma import Beta, Gamma
from engine.distributions.multivariate_normal import MultivariateNormal, log_diagonal, squared_distance
from engine.distributions.normal import LogNormal, Normal
from engine.distributions.parameters import function_of
from engine.distributions.transformed import TransformedDistribution
from engine.tensor import Tensor

IMPOSSIBLE: dict[type, tuple[str, tuple[type, ...]]] = {
    Beta: ("concentration1", (Pareto,)),
    Exponential: ("rate", (Beta, Pareto, Uniform)),
    Gamma: ("concentration", (Beta, Pareto, Uniform)),
    Gumbel: ("loc", (Beta, Exponential, Gamma, Pareto, Uniform)),
    Laplace: ("loc", (Beta, Exponential, Gamma, Pareto, Uniform)),
    Normal: ("loc", (Beta, Exponential, Gamma, Pareto, Uniform)),
    Pareto: ("scale", (Beta, Uniform)),
    Poisson: ("rate", (Bernoulli, Binomial)),
}
"""Families that give values where others give none, so that the divergence is infinite; and a parameter for the shape."""


def _infinite(parameter: str) -> Any:
    return lambda p, q: filled_like(getattr(p, parameter), math.inf)


for _type, (_parameter, _others) in IMPOSSIBLE.items():
    for _other in _others:
        register_kl(_type, _other)(_infinite(_parameter))


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be computed"
        )
    half = log_diagonal(q._factor) - log_diagonal(p._factor)
    batch = function_of("torch", "broadcast_shapes")(q._factor.shape[:-2], p._factor.shape[:-2])
    n = p.event_shape[0]
    solve = function_of("linalg", "solve_triangular")
    ratio = solve(q._factor.expand(*batch, n, n), p._factor.expand(*batch, n, n), upper=False)
    trace = ratio.reshape(-1, n * n).pow(2).sum(-1).reshape(ratio.shape[:-2])
    result: Tensor = half + 0.5 * (trace + squared_distance(q._factor, q.loc - p.loc) - n)
    return result


@register_kl(LogNormal, LogNormal)
def _log_normal(p: LogNormal, q: LogNormal) -> Tensor:
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    terms = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    result: Tensor = p.total_count * terms
    result[p.total_count > q.total_count] = math.inf
    return result


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Any, q: Any) -> Tensor:
    ratio, place_q, place_p = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    tail = (place_q + (1 + ratio).lgamma() - place_p).exp()
    result: Tensor = -ratio.log() - place_q + place_p + ratio * EULER + tail - (1 + EULER)
    return result


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Tensor:
    ratio = q.alpha / p.alpha
    result: Tensor = q.alpha * (p.scale / q.scale).log() + -ratio.log() + ratio - 1
    result[p.scale < q.scale] = math.inf
    return result


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Any, q: Any) -> Tensor:
    result: Tensor = -p.entropy() - (p.probs * q.rate.log() - q.rate)
    return result


@register_kl(Beta, Exponential)
def _beta_exponential(p: Any, q: Any) -> Tensor:
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    result: Tensor = -p.entropy() - q.rate.log() + q.rate * mean
    return result


@register_kl(Beta, Gamma)
def _beta_gamma(p: Any, q: Any) -> Tensor:
    normaliser = q.concentration.lgamma() - q.concentration * q.rate.log()
    slopes = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    mean = q.rate * p.concentration1 / (p.concentration1 + p.concentration0)
    result: Tensor = -p.entropy() + normaliser - (q.concentration - 1) * slopes + mean
    return result


@register_kl(Beta, Normal)
def _beta_normal(p: Any, q: Any) -> Tensor:
    total = p.concentration1 + p.concentration0
    mean, variance = p.concentration1 / total, q.scale.pow(2)
    square = (mean * (1 - mean) / (total + 1) + mean.pow(2)) * 0.5
    distance = (square - q.loc * mean + q.loc.pow(2) * 0.5) / variance
    result: Tensor = -p.entropy() + 0.5 * (variance * 2 * math.pi).log() + distance
    return result


@register_kl(Beta, Uniform)
def _beta_uniform(p: Any, q: Any) -> Tensor:
    result: Tensor = -p.entropy() + (q.high - q.low).log()
    result[(q.low > 0) | (q.high < 1)] = math.inf
    return result


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    shape = q.concentration.lgamma()
    result: Tensor = -q.concentration * ratio.log() + ratio + shape + q.concentration * EULER - (1 + EULER)
    return result


@register_kl(Exponential, Normal)
def _exponential_normal(p: Any, q: Any) -> Tensor:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    entropy = 0.5 * (square * variance * 2 * math.pi).log()
    result: Tensor = entropy - 1 + (square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5) / variance
    return result


@register_kl(Gamma, Exponential)
def _gamma_exponential(p: Any, q: Any) -> Tensor:
    result: Tensor = -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate
    return result


@register_kl(Gamma, Normal)
def _gamma_normal(p: Any, q: Any) -> Tensor:
    variance, square, alpha = q.scale.pow(2), p.rate.pow(2), p.concentration
    entropy = 0.5 * (square * variance * 2 * math.pi).log() - alpha - alpha.lgamma()
    second = 0.5 * (alpha.pow(2) + alpha) / square
    distance = (second - q.loc * alpha / p.rate + 0.5 * q.loc.pow(2)) / variance
    result: Tensor = entropy + (alpha - 1) * alpha.digamma() + distance
    return result


@register_kl(Gumbel, Normal)
def _gumbel_normal(p: Any, q: Any) -> Tensor:
    ratio = p.scale / q.scale
    spread = (math.pi * ratio * 0.5).pow(2) / 3
    distance = ((p.loc + p.scale * EULER - q.loc) / q.scale).pow(2) * 0.5
    result: Tensor = -(ratio / math.sqrt(2 * math.pi)).log() + spread + distance - (EULER + 1)
    return result


@register_kl(Laplace, Normal)
def _laplace_normal(p: Any, q: Any) -> Tensor:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    distance = (0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)) / variance
    result: Tensor = -(0.5 * (2 * ratio / math.pi).log()) + ratio + distance - 1
    return result


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Any, q: Any) -> Tensor:
    mean, variance, place = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    tail = (-mean + 0.5 * variance + place).exp()
    result: Tensor = -(variance.log() * 0.5) + (mean - place) + tail - (0.5 * (1 + math.log(2 * math.pi)))
    return result


@register_kl(Normal, Laplace)
def _normal_laplace(p: Any, q: Any) -> Tensor:
    difference, ratio = p.loc - q.loc, p.scale / q.scale
    relative = difference / p.scale
    near = math.sqrt(2 / math.pi) * p.scale * (-0.5 * relative.pow(2)).exp()
    far = difference * (math.sqrt(0.5) * relative).erf()
    result: Tensor = -ratio.log() + (near + far) / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))
    return result


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Any, q: Any) -> Tensor:
    result: Tensor = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    result[p.low < 0] = math.inf
    return result


@register_kl(Uniform, Normal)
def _uniform_normal(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    entropy = (math.sqrt(math.pi * 2) * q.scale / width).log()
    distance = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    result: Tensor = entropy + 0.5 * (width.pow(2) / 12 + distance) / q.scale.pow(2)
    return result
