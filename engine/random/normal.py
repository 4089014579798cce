"""Normal numbers: ``torch.randn``, ``Tensor.normal_``, ``Tensor.log_normal_``.

PyTorch has two algorithms, and which one runs changes the numbers:

- serial (fewer than 16 values, or memory that is not contiguous): Box-Muller in float64, pair by pair; the second half
  of a pair is cached in the generator for the next call;
- blocked (16 values or more): Box-Muller on blocks of 16, the first 8 uniforms giving radii and the other 8 angles. If
  16 does not divide the size, the last 16 values are drawn afresh.
"""

from __future__ import annotations

import math

import numpy as np

from engine.random.arithmetic import (
    Float32,
    Float64,
    cos,
    exp,
    log,
    log1p,
    log_float32,
    multiply_add_float32,
    multiply_add_float64,
    sin,
    sin_cos_float32,
)  # fmt: skip
from engine.random.element_types import Array, cast, is_complex, is_floating, refuse
from engine.random.generator import Generator

BLOCK = 16
"""PyTorch's vectorised Box–Muller transform makes so many numbers at a time, and tensors with fewer one by one."""


def normal(
    generator: Generator,
    shape: tuple[int, ...],
    dtype: np.dtype,
    mean: float = 0.0,
    std: float = 1.0,
    *,
    contiguous: bool = True,
) -> Array:
    """Numbers of the normal distribution; for a complex type ``std`` is that of the complex number.

    ``contiguous`` tells whether the memory they are meant for is: if not, the serial algorithm runs at any size.

    Raises:
        NotImplementedError: ``dtype`` is not floating or complex.
        RuntimeError: ``std`` is negative.
    """
    if not std >= 0.0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if is_complex(dtype):
        part = np.dtype(f"f{dtype.itemsize // 2}")
        parts = normal(generator, (*shape, 2), part, mean, std / math.sqrt(2), contiguous=contiguous)
        return parts.view(dtype).reshape(shape)
    if not is_floating(dtype):
        refuse("normal_kernel_cpu", dtype)
    count = math.prod(shape)
    values: Array
    if count < BLOCK or not contiguous:
        values = serial_normal(generator, count, mean, std)
    elif dtype == np.float64:
        values = _blocked_float64(generator, count, mean, std)
    else:
        values = _blocked_float32(generator, count, mean, std, halves=dtype != np.float32)
    return cast(values, dtype).reshape(shape)


def log_normal(
    generator: Generator, shape: tuple[int, ...], dtype: np.dtype, mean: float = 1.0, std: float = 2.0
) -> Array:
    """exp of a normal number; always the serial algorithm.

    Raises:
        NotImplementedError: ``dtype`` is not floating.
        RuntimeError: ``std`` is not positive.
    """
    if not std > 0.0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if not is_floating(dtype):
        refuse("log_normal_cpu", dtype)
    return cast(exp(serial_normal(generator, math.prod(shape), mean, std)), dtype).reshape(shape)


def serial_normal(generator: Generator, count: int, mean: float = 0.0, std: float = 1.0) -> Float64:
    """Box-Muller pair by pair: an angle, then a radius; the cosine half is given out first."""
    values = np.empty(count, np.float64)
    filled = 0
    if count and generator.cached_normal is not None:
        values[0], filled, generator.cached_normal = generator.cached_normal, 1, None
    missing = count - filled
    if missing:
        uniforms = generator.units_float64(2 * ((missing + 1) // 2))
        radius = np.sqrt(-2.0 * log1p(-uniforms[1::2]))
        angle = 2 * math.pi * uniforms[0::2]
        pairs = np.stack([radius * cos(angle), radius * sin(angle)], 1).reshape(-1)
        values[filled:] = pairs[:missing]
        if missing % 2:
            generator.cached_normal = float(pairs[-1])
    return values if (mean, std) == (0.0, 1.0) else multiply_add_float64(values, std, mean)


def _blocked_float64(generator: Generator, count: int, mean: float, std: float) -> Float64:
    values = generator.units_float64(count)
    whole = count - count % BLOCK
    values[:whole] = _blocks_float64(values[:whole].reshape(-1, BLOCK), mean, std).reshape(-1)
    if whole != count:
        values[-BLOCK:] = _blocks_float64(generator.units_float64(BLOCK).reshape(1, BLOCK), mean, std)[0]
    return values


def _blocked_float32(generator: Generator, count: int, mean: float, std: float, *, halves: bool) -> Float32:
    """``halves``: for the half-width types PyTorch draws no uniforms for the incomplete block it redraws anyway."""
    whole = count - count % BLOCK
    uniforms = generator.units_float32(whole if halves else count)
    values = np.empty(count, np.float32)
    values[:whole] = _blocks_float32(uniforms[:whole].reshape(-1, BLOCK), mean, std).reshape(-1)
    if whole != count:
        values[-BLOCK:] = _blocks_float32(generator.units_float32(BLOCK).reshape(1, BLOCK), mean, std)[0]
    return values


def _blocks_float64(uniforms: Float64, mean: float, std: float) -> Float64:
    """uniforms (blocks, 16) to normals (blocks, 16)."""
    radius = np.sqrt(-2.0 * log(1.0 - uniforms[:, :8]))
    angle = 2 * math.pi * uniforms[:, 8:]
    values = np.concatenate([radius * cos(angle), radius * sin(angle)], 1)
    return values if (mean, std) == (0.0, 1.0) else multiply_add_float64(values, std, mean)


def _blocks_float32(uniforms: Float32, mean: float, std: float) -> Float32:
    """uniforms (blocks, 16) to normals (blocks, 16), with the float32 logarithm, sine and cosine of Cephes."""
    radius = np.sqrt(np.float32(-2) * log_float32(np.float32(1) - uniforms[:, :8]))
    sine, cosine = sin_cos_float32(np.float32(2 * math.pi) * uniforms[:, 8:])
    values = np.concatenate([radius * cosine, radius * sine], 1)
    return values if (mean, std) == (0.0, 1.0) else multiply_add_float32(values, np.float32(std), np.float32(mean))
