"""``torch.distributions``: sampling, log-probabilities, entropies and divergences, built from the engine's operators.

The formulas are PyTorch's, operator by operator, so the backward graph is the same; the draws come from
`engine.random`, so the samples are the same too.
"""

from engine.distributions import constraints
from engine.distributions.continuous import Cauchy, Exponential, Laplace, Uniform
from engine.distributions.counts import Binomial, Geometric, Poisson
from engine.distributions.discrete import Bernoulli, Categorical, OneHotCategorical
from engine.distributions.distribution import Distribution
from engine.distributions.divergence import kl_divergence, register_kl
from engine.distributions.gamma import Beta, Chi2, Dirichlet, Gamma
from engine.distributions.independent import Independent
from engine.distributions.normal import HalfNormal, LogNormal, Normal

__all__ = [
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "Dirichlet",
    "Distribution",
    "Exponential",
    "Gamma",
    "Geometric",
    "HalfNormal",
    "Independent",
    "Laplace",
    "LogNormal",
    "Normal",
    "OneHotCategorical",
    "Poisson",
    "Uniform",
    "constraints",
    "kl_divergence",
    "register_kl",
]
