"""Yes or no, and how long until the first yes: ``bernoulli_``, ``torch.bernoulli``, ``geometric_``."""

from __future__ import annotations

import math

import numpy as np

from engine.errors import Explained
from engine.random.arithmetic import log
from engine.random.element_types import Array, cast, is_complex, is_floating, refuse
from engine.random.generator import Generator


def bernoulli(generator: Generator, shape: tuple[int, ...], dtype: np.dtype, p: float = 0.5) -> Array:
    """``Tensor.bernoulli_(p)`` and dropout's mask: 1 where a float64 uniform number is below ``p``.

    Raises:
        NotImplementedError: ``dtype`` is complex.
        RuntimeError: ``p`` is outside [0, 1].
    """
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if is_complex(dtype):
        refuse("bernoulli_scalar_cpu_", dtype)
    return (generator.units_float64(math.prod(shape)) < p).astype(dtype).reshape(shape)


def bernoulli_of(generator: Generator, probabilities: Array, dtype: np.dtype) -> Array:
    """``torch.bernoulli(probabilities)``: element by element, in the type of the probabilities (half types in float32).

    Raises:
        NotImplementedError: a type without code for it.
        RuntimeError: a probability outside [0, 1].
    """
    if is_complex(dtype):
        refuse("bernoulli_tensor_cpu_self_", dtype)
    if not is_floating(probabilities.dtype):
        refuse("bernoulli_tensor_cpu_p_", probabilities.dtype)
    if not ((probabilities >= 0) & (probabilities <= 1)).all():
        wrong = probabilities[~((probabilities >= 0) & (probabilities <= 1))].reshape(-1)[0]
        raise RuntimeError(
            Explained(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  "
                "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)",
                f"Every probability must lie between 0 and 1; one of them is {float(wrong):g}.",
            )
        )
    count = probabilities.size
    uniforms: Array
    if probabilities.dtype == np.float64:
        uniforms = generator.units_float64(count)
    else:
        uniforms = generator.units_float32(count)
        probabilities = probabilities.astype(np.float32)
    return (uniforms.reshape(probabilities.shape) < probabilities).astype(dtype)


def geometric(generator: Generator, shape: tuple[int, ...], dtype: np.dtype, p: float) -> Array:
    """``Tensor.geometric_(p)``: number of trials up to the first success, ⌈log u / log(1 − p)⌉.

    Raises:
        NotImplementedError: ``dtype`` is bool or complex.
        RuntimeError: ``p`` is not strictly between 0 and 1.
    """
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if is_complex(dtype) or dtype == np.bool_:
        refuse("geometric_cpu", dtype)
    trials = np.ceil(log(generator.units_float64(math.prod(shape))) / math.log1p(-p))
    return cast(trials, dtype).reshape(shape)
