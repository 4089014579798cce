"""PyTorch's CPU random numbers, bit for bit, on plain numpy.

`generator.Generator` is the Mersenne twister with PyTorch's state; every distribution is a function that takes it, a
shape and a numpy dtype and returns a C-contiguous array, having drawn exactly as many words as PyTorch draws::

    generator = Generator(seed=0)
    normal(generator, (3,), np.dtype("float32"))        # torch.manual_seed(0); torch.randn(3)

The reference is PyTorch on a plain AVX2 machine; on Intel machines PyTorch itself takes ``bernoulli_``, dropout masks
and ``exponential_`` from another stream. Knows no tensor.
"""

from engine.random.continuous import cauchy, exponential
from engine.random.counts import binomial, poisson
from engine.random.discrete import bernoulli, bernoulli_of, geometric
from engine.random.gamma import dirichlet, standard_gamma
from engine.random.generator import DEFAULT_SEED, Generator
from engine.random.integers import full_range_integers, integers, permutation, whole_range
from engine.random.multinomial import multinomial
from engine.random.normal import log_normal, normal
from engine.random.uniform import uniform

__all__ = [
    "DEFAULT_SEED", "Generator", "bernoulli", "bernoulli_of", "binomial", "cauchy", "dirichlet", "exponential",
    "full_range_integers", "geometric", "integers", "log_normal", "multinomial", "normal", "permutation", "poisson",
    "standard_gamma", "uniform", "whole_range",
]  # fmt: skip
