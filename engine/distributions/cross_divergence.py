"""Divergences between different families, and between those made by transforming; see `engine.distributions.divergence`."""

from __future__ import annotations

import math
from typing import Any

from engine.distributions.continuous import Exponential, Laplace, Uniform
from engine.distributions.continuous_bernoulli import ContinuousBernoulli
from engine.distributions.counts import Binomial, Poisson
from engine.distributions.discrete import Bernoulli
from engine.distributions.divergence import kl_divergence, register_kl
from engine.distributions.extremes import EULER, Gumbel, Pareto
from engine.distributions.gamma import Beta, Gamma
from engine.distributions.normal import Normal
from engine.distributions.parameters import filled_like, xlogx
from engine.distributions.transformed import TransformedDistribution
from engine.tensor import Tensor

IMPOSSIBLE: dict[type, tuple[str, tuple[type, ...]]] = {
    Beta: ("concentration1", (Pareto,)),
    ContinuousBernoulli: ("probs", (Pareto,)),
    Exponential: ("rate", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    Gamma: ("concentration", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    Gumbel: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Laplace: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Normal: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Pareto: ("scale", (Beta, ContinuousBernoulli, Uniform)),
    Poisson: ("rate", (Bernoulli, Binomial)),
}
"""Families that give values where others give none, so that the divergence is infinite; and a parameter for the shape."""


def _infinite(parameter: str) -> Any:
    return lambda p, q: filled_like(getattr(p, parameter), math.inf)


for _type, (_parameter, _others) in IMPOSSIBLE.items():
    for _other in _others:
        register_kl(_type, _other)(_infinite(_parameter))


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
    return -ratio.log() - place_q + place_p + ratio * EULER + tail - (1 + EULER)


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Tensor:
    ratio = q.alpha / p.alpha
    result: Tensor = q.alpha * (p.scale / q.scale).log() + -ratio.log() + ratio - 1
    result[p.scale < q.scale] = math.inf
    return result


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Any, q: Any) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, Exponential)
def _beta_exponential(p: Any, q: Any) -> Tensor:
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    return -p.entropy() - q.rate.log() + q.rate * mean


@register_kl(Beta, Gamma)
def _beta_gamma(p: Any, q: Any) -> Tensor:
    normaliser = q.concentration.lgamma() - q.concentration * q.rate.log()
    slopes = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    mean = q.rate * p.concentration1 / (p.concentration1 + p.concentration0)
    return -p.entropy() + normaliser - (q.concentration - 1) * slopes + mean


@register_kl(Beta, Normal)
def _beta_normal(p: Any, q: Any) -> Tensor:
    total = p.concentration1 + p.concentration0
    mean, variance = p.concentration1 / total, q.scale.pow(2)
    square = (mean * (1 - mean) / (total + 1) + mean.pow(2)) * 0.5
    distance = (square - q.loc * mean + q.loc.pow(2) * 0.5) / variance
    return -p.entropy() + 0.5 * (variance * 2 * math.pi).log() + distance


@register_kl(Beta, Uniform)
def _beta_uniform(p: Any, q: Any) -> Tensor:
    result: Tensor = -p.entropy() + (q.high - q.low).log()
    result[(q.low > 0) | (q.high < 1)] = math.inf
    return result


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    return -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._log_norm()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Tensor:
    first = p.mean * (p.logits - q.logits)
    return first + (p._log_norm() + (-p.probs).log1p()) + (-q._log_norm() - (-q.probs).log1p())


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p: Any, q: Any) -> Tensor:
    normaliser = 0.5 * (math.log(2.0 * math.pi) + (q.loc / q.scale).square()) + q.scale.log()
    distance = p.variance + p.mean.square() - 2.0 * q.loc * p.mean
    return -p.entropy() + normaliser + distance / (2.0 * q.scale.square())


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p: Any, q: Any) -> Tensor:
    divergence = -p.entropy() + (q.high - q.low).log()
    return filled_like(divergence, math.inf).where((q.low >= 0) | (q.high <= 1), divergence)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    shape = q.concentration.lgamma()
    return -q.concentration * ratio.log() + ratio + shape + q.concentration * EULER - (1 + EULER)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Any, q: Any) -> Tensor:
    ratio, place = p.rate * q.scale, q.loc / q.scale
    return (ratio.log() - 1) - place + place.exp() * ratio / (ratio + 1) + ratio.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_normal(p: Any, q: Any) -> Tensor:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    entropy = 0.5 * (square * variance * 2 * math.pi).log()
    return entropy - 1 + (square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5) / variance


@register_kl(Gamma, Exponential)
def _gamma_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Any, q: Any) -> Tensor:
    alpha, ratio, place = p.concentration, p.rate * q.scale, q.loc / q.scale
    entropy = (alpha - 1) * alpha.digamma() - alpha.lgamma() - alpha
    return entropy + (ratio.log() + alpha / ratio) + (place.exp() * (1 + ratio.reciprocal()).pow(-alpha) - place)


@register_kl(Gamma, Normal)
def _gamma_normal(p: Any, q: Any) -> Tensor:
    variance, square, alpha = q.scale.pow(2), p.rate.pow(2), p.concentration
    entropy = 0.5 * (square * variance * 2 * math.pi).log() - alpha - alpha.lgamma()
    second = 0.5 * (alpha.pow(2) + alpha) / square
    distance = (second - q.loc * alpha / p.rate + 0.5 * q.loc.pow(2)) / variance
    return entropy + (alpha - 1) * alpha.digamma() + distance


@register_kl(Gumbel, Normal)
def _gumbel_normal(p: Any, q: Any) -> Tensor:
    ratio = p.scale / q.scale
    spread = (math.pi * ratio * 0.5).pow(2) / 3
    distance = ((p.loc + p.scale * EULER - q.loc) / q.scale).pow(2) * 0.5
    return -(ratio / math.sqrt(2 * math.pi)).log() + spread + distance - (EULER + 1)


@register_kl(Laplace, Normal)
def _laplace_normal(p: Any, q: Any) -> Tensor:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    distance = (0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)) / variance
    return -(0.5 * (2 * ratio / math.pi).log()) + ratio + distance - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Any, q: Any) -> Tensor:
    mean, variance, place = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    tail = (-mean + 0.5 * variance + place).exp()
    return -(variance.log() * 0.5) + (mean - place) + tail - (0.5 * (1 + math.log(2 * math.pi)))


@register_kl(Normal, Laplace)
def _normal_laplace(p: Any, q: Any) -> Tensor:
    difference, ratio = p.loc - q.loc, p.scale / q.scale
    relative = difference / p.scale
    near = math.sqrt(2 / math.pi) * p.scale * (-0.5 * relative.pow(2)).exp()
    far = difference * (math.sqrt(0.5) * relative).erf()
    return -ratio.log() + (near + far) / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))


@register_kl(Pareto, Exponential)
def _pareto_exponential(p: Any, q: Any) -> Tensor:
    alpha, ratio = p.alpha, p.scale * q.rate
    result: Tensor = (alpha / ratio).log() - alpha.reciprocal() + alpha * ratio / (alpha - 1) - 1
    result[alpha <= 1] = math.inf
    return result


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Any, q: Any) -> Tensor:
    alpha = p.alpha
    expected = p.scale.log() + alpha.reciprocal()
    normaliser = q.concentration.lgamma() - q.concentration * q.rate.log()
    mean = q.rate * alpha * p.scale / (alpha - 1)
    result: Tensor = (alpha.log() - expected) + normaliser + (1 - q.concentration) * expected + mean - 1
    result[alpha <= 1] = math.inf
    return result


@register_kl(Pareto, Normal)
def _pareto_normal(p: Any, q: Any) -> Tensor:
    alpha, spread = p.alpha, p.scale / (p.alpha - 1)
    entropy = (math.sqrt(2 * math.pi) * q.scale * alpha / p.scale).log() - alpha.reciprocal()
    distance = alpha * spread.pow(2) / (alpha - 2) + (alpha * spread - q.loc).pow(2)
    result: Tensor = entropy + distance / (2 * q.scale.pow(2)) - 1
    result[alpha <= 2] = math.inf
    return result


@register_kl(Uniform, Beta)
def _uniform_beta(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    first = (q.concentration1 - 1) * (xlogx(p.high) - xlogx(p.low) - width) / width
    second = (q.concentration0 - 1) * (xlogx(1 - p.high) - xlogx(1 - p.low) + width) / width
    normaliser = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    result: Tensor = second + normaliser - width.log() - first
    result[(p.high > 1) | (p.low < 0)] = math.inf
    return result


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    divergence = -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._log_norm()
    return filled_like(divergence, math.inf).where((p.high >= 1) | (p.low <= 0), divergence)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Any, q: Any) -> Tensor:
    result: Tensor = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    result[p.low < 0] = math.inf
    return result


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    normaliser = q.concentration.lgamma() - q.concentration * q.rate.log()
    slopes = (1 - q.concentration) * (xlogx(p.high) - xlogx(p.low) - width) / width
    result: Tensor = -width.log() + normaliser + slopes + q.rate * (p.high + p.low) / 2
    result[p.low < 0] = math.inf
    return result


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Any, q: Any) -> Tensor:
    share, high, low = q.scale / (p.high - p.low), (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return (share.log() + 0.5 * (high + low)) - share * ((-high).exp() - (-low).exp())


@register_kl(Uniform, Normal)
def _uniform_normal(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    entropy = (math.sqrt(math.pi * 2) * q.scale / width).log()
    distance = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return entropy + 0.5 * (width.pow(2) / 12 + distance) / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    constant = (q.alpha * q.scale.pow(q.alpha) * width).log()
    expected = (xlogx(p.high) - xlogx(p.low) - width) / width
    result: Tensor = expected * (q.alpha + 1) - constant
    result[p.low < q.scale] = math.inf
    return result
