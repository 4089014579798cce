"""Every distribution, by its own name: what is drawn with a `engine.random.Generator`."""

from engine.random.continuous import cauchy, exponential
from engine.random.counts import binomial, poisson
from engine.random.discrete import bernoulli, bernoulli_of, geometric
from engine.random.gamma import dirichlet, standard_gamma
from engine.random.integers import full_range_integers, integers, permutation, whole_range
from engine.random.multinomial import multinomial
from engine.random.normal import log_normal, normal
from engine.random.uniform import uniform

__all__ = [
    "bernoulli", "bernoulli_of", "binomial", "cauchy", "dirichlet", "exponential",
    "full_range_integers", "geometric", "integers", "log_normal", "multinomial", "normal", "permutation", "poisson",
    "standard_gamma", "uniform", "whole_range",
]  # fmt: skip
