"""Gamma and Dirichlet numbers, which ``torch.distributions`` samples from.

Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), in float64. Some constants are float32 in
PyTorch's source, which shows in the last digits; so they are here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.float_limits import float_limits
from engine.random.element_types import Array, refuse
from engine.random.generator import Generator
from engine.random.normal import serial_normal

_THIRD = float(np.float32(1) / np.float32(3))
_SQUEEZE = float(np.float32(0.0331))


def standard_gamma(generator: Generator, concentrations: Array) -> Array:
    """One gamma number (rate 1) per concentration, in their type; never below the type's smallest normal number.

    Raises:
        NotImplementedError: the type is not float32 or float64.
    """
    dtype = concentrations.dtype
    if dtype.kind != "f" or dtype.itemsize < 4:
        refuse("gamma_cpu", dtype)
    values = [_gamma(generator, each) for each in concentrations.reshape(-1)]
    gammas: Array = np.maximum(np.array(values).astype(dtype), float_limits(dtype).tiny)
    return gammas.reshape(concentrations.shape)


def dirichlet(generator: Generator, concentrations: Array) -> Array:
    """Gamma numbers that share out 1 along the last dimension, in the type of ``concentrations``.

    Raises:
        NotImplementedError: the type is not float32 or float64.
    """
    dtype = concentrations.dtype
    if dtype.kind != "f" or dtype.itemsize < 4:
        refuse("dirichlet", dtype)
    gammas = standard_gamma(generator, concentrations.astype(np.float64))
    shares = gammas / gammas.sum(axis=-1, keepdims=True)
    bounded: Array = np.clip(shares.astype(dtype), float_limits(dtype).tiny, 1 - float_limits(dtype).epsneg)
    return bounded


def _gamma(generator: Generator, alpha: Any) -> float:
    """``alpha`` is a numpy scalar: what is computed from it alone is computed in its type, all else in float64."""
    one, scale = type(alpha)(1), 1.0
    if alpha < 1:  # boosted to alpha + 1, where few draws are rejected
        if alpha == 0:
            return 0.0
        scale = math.pow(1 - generator.unit(), float(one / alpha))
        alpha += one
    d = float(alpha - type(alpha)(_THIRD))
    c = 1 / math.sqrt(9 * d)
    while True:
        y = 0.0
        while y <= 0:
            x = float(serial_normal(generator, 1)[0])
            y = 1 + c * x
        v = y * y * y
        u = 1 - generator.unit()
        square = x * x
        if u < 1 - _SQUEEZE * square * square or math.log(u) < 0.5 * square + d * (1 - v + math.log(v)):
            return scale * d * v
