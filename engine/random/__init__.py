"""PyTorch's CPU random numbers, bit for bit, on plain numpy.

`Generator` is the Mersenne twister with PyTorch's state; every distribution (`engine.random.distributions`) is a
function that takes it, a shape and a numpy dtype and returns a C-contiguous array, having drawn exactly as many words as
PyTorch draws::

    generator = Generator(seed=0)
    normal(generator, (3,), np.dtype("float32"))        # torch.manual_seed(0); torch.randn(3)

The reference is PyTorch on a plain AVX2 machine; on Intel machines PyTorch itself takes ``bernoulli_``, dropout masks
and ``exponential_`` from another stream. Knows no tensor.
"""

from engine.random.generator import DEFAULT_SEED, Generator

__all__ = ["DEFAULT_SEED", "Generator"]
