"""Uniform numbers: ``torch.rand`` and ``Tensor.uniform_``."""

from __future__ import annotations

import math

import numpy as np

from engine.dtype_names import C_TYPE, SCALAR_TYPE
from engine.random.arithmetic import multiply_add_float32, multiply_add_float64
from engine.random.element_types import Array, cast, is_complex, is_floating, largest, refuse, wide
from engine.random.generator import Generator


def uniform(
    generator: Generator, shape: tuple[int, ...], dtype: np.dtype, low: float = 0.0, high: float = 1.0
) -> Array:
    """Numbers in [low, high): u·(high − low) + low, one rounding, in the element type (half types in float32).

    A complex number's real and imaginary part are drawn one after the other.

    Raises:
        NotImplementedError: ``dtype`` is not floating or complex.
        RuntimeError: the bounds are out of order, or too large for ``dtype``.
    """
    if is_complex(dtype):
        parts = uniform(generator, (*shape, 2), np.dtype(f"f{dtype.itemsize // 2}"), low, high)
        return parts.view(dtype).reshape(shape)
    _check(dtype, low, high)
    count = math.prod(shape)
    values: Array
    if wide(dtype) == np.float64:
        values = generator.units_float64(count)
        if (low, high) != (0.0, 1.0):
            values = multiply_add_float64(values, np.float64(high) - np.float64(low), low)
    else:
        values = generator.units_float32(count)
        if (low, high) != (0.0, 1.0):
            values = multiply_add_float32(values, np.float32(high) - np.float32(low), np.float32(low))
    values = cast(values, dtype)
    if (low, high) != (0.0, 1.0) or dtype.itemsize == 2:
        rounded_up = values == np.asarray(high).astype(dtype)  # high itself is outside
        if rounded_up.any():
            values[rounded_up] = np.asarray(low).astype(dtype)
    return values.reshape(shape)


def _check(dtype: np.dtype, low: float, high: float) -> None:
    if not is_floating(dtype):
        refuse("check_uniform_bounds", dtype)
    limit = largest(dtype)
    for name, bound in (("from", low), ("to", high)):
        if not -limit <= bound <= limit:
            raise RuntimeError(f"{name} is out of bounds for {C_TYPE[dtype.name]}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > limit:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{SCALAR_TYPE[dtype.name]}>::max(), but found "
            f"to={high:g} and from={low:g} which result in to-from to exceed the limit"
        )
