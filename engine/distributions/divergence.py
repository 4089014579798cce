"""``kl_divergence(p, q)``: how many nats p differs from q; one formula per pair of distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from engine.distributions.continuous import Cauchy, Exponential, Laplace, Uniform
from engine.distributions.counts import Geometric, Poisson
from engine.distributions.discrete import Bernoulli, Categorical, OneHotCategorical
from engine.distributions.distribution import Distribution
from engine.distributions.exponential_family import ExponentialFamily
from engine.distributions.folded import HalfNormal
from engine.distributions.gamma import Beta, Dirichlet, Gamma
from engine.distributions.independent import Independent
from engine.distributions.normal import Normal
from engine.distributions.parameters import functional, sum_rightmost
from engine.tensor import Tensor

Formula = Callable[[Any, Any], Tensor]
FORMULAS: dict[tuple[type, type], Formula] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """Declares the divergence between two types (and their subclasses)."""

    def declare(formula: Formula) -> Formula:
        FORMULAS[type_p, type_q] = formula
        return formula

    return declare


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """∫ p ln(p / q).

    Raises:
        NotImplementedError: nobody registered this pair, or its formula does not cover these two.
    """
    for type_p in type(p).__mro__:
        for type_q in type(q).__mro__:
            if (type_p, type_q) in FORMULAS:
                return FORMULAS[type_p, type_q](p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot"
            f"{'':29}be computed using Bregman divergences"
        )
    parameters, log_normalizer, expected = p._moments()
    others = q._natural_params
    divergence = q._log_normalizer(*others) - log_normalizer
    for parameter, other, moment in zip(parameters, others, expected, strict=True):
        divergence = divergence - sum_rightmost((other - parameter) * moment, len(q.event_shape))
    return divergence


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    softplus = functional("softplus")
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones[q.probs == 0] = math.inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros[q.probs == 1] = math.inf
    zeros[p.probs == 1] = 0
    return ones + zeros


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    result: Tensor = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = math.inf
    return result


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    spread = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return spread - (4 * p.scale * q.scale).log()


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    rates = q.concentration * (p.rate / q.rate).log()
    normalisers = q.concentration.lgamma() - p.concentration.lgamma()
    shapes = (p.concentration - q.concentration) * p.concentration.digamma()
    return rates + normalisers + shapes + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    total_p, total_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    normaliser_q = q.concentration1.lgamma() + q.concentration0.lgamma() + total_p.lgamma()
    normaliser_p = p.concentration1.lgamma() + p.concentration0.lgamma() + total_q.lgamma()
    first = (p.concentration1 - q.concentration1) * p.concentration1.digamma()
    second = (p.concentration0 - q.concentration0) * p.concentration0.digamma()
    return normaliser_q - normaliser_p + first + second + (total_q - total_p) * total_p.digamma()


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    total_p, total_q = p.concentration.sum(-1), q.concentration.sum(-1)
    normalisers = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    shapes = p.concentration - q.concentration
    expected = p.concentration.digamma() - total_p.digamma().unsqueeze(-1)
    return total_p.lgamma() - total_q.lgamma() - normalisers + (shapes * expected).sum(-1)


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("KL between Independents of different reinterpreted_batch_ndims")
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
