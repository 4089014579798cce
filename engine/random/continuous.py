"""Exponential and Cauchy numbers, each from one float64 uniform number by inverting the distribution function."""

from __future__ import annotations

import math

import numpy as np

from engine.dtype_names import C_TYPE, SCALAR_TYPE
from engine.random.arithmetic import log1p, tan
from engine.random.element_types import Array, cast, is_floating
from engine.random.generator import Generator


def exponential(generator: Generator, shape: tuple[int, ...], dtype: np.dtype, rate: float = 1.0) -> Array:
    """``Tensor.exponential_(rate)``: −log1p(−u) / rate.

    Raises:
        RuntimeError: ``rate`` is not positive or ``dtype`` is not floating.
    """
    if not rate > 0.0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    _require_floating("Exponential", dtype, SCALAR_TYPE)
    values = (-1.0 / rate) * log1p(-generator.units_float64(math.prod(shape)))
    return cast(values, dtype).reshape(shape)


def cauchy(
    generator: Generator, shape: tuple[int, ...], dtype: np.dtype, median: float = 0.0, sigma: float = 1.0
) -> Array:
    """``Tensor.cauchy_(median, sigma)``: median + sigma·tan(π·(u − ½)).

    Raises:
        RuntimeError: ``sigma`` is not positive or ``dtype`` is not floating.
    """
    if not sigma > 0.0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    _require_floating("Cauchy", dtype, C_TYPE)
    values = median + sigma * tan(math.pi * (generator.units_float64(math.prod(shape)) - 0.5))
    return cast(values, dtype).reshape(shape)


def _require_floating(title: str, dtype: np.dtype, spelling: dict[str, str]) -> None:
    if not is_floating(dtype):
        raise RuntimeError(
            f"{title} distribution is a continuous probability distribution. "
            f"dtype must be a floating point but you specified {spelling[dtype.name]}"
        )
