"""The elder window functions, ``torch.hann_window`` and kin: periodic unless told otherwise, and counted from whole numbers.

Each step is rounded as PyTorch's kernels round it, so the numbers differ from those of `windows` in their last digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.core.declare import composite
from engine.ops.factories.factory import leaf, require_place, resolved_dtype
from engine.ops.fourier.windows import Points, bessel_ratio
from engine.ops.pointwise.precision import in_double
from engine.placement import strided
from engine.tensor import Tensor


def older(kernel: Callable[..., Points]) -> Callable[..., Tensor]:
    """Declares ``torch.<kernel>(window_length, periodic=True, …)``.

    The kernel gets the numbers from 0 on and the last of them; of a periodic window one too many, which is dropped.
    """
    name = kernel.__name__

    def made(
        window_length: int, periodic: bool = True, *options: Any, dtype: Any = None, layout: Any = strided, device: Any = None,
        pin_memory: bool = False, requires_grad: bool = False, **named: Any,
    ) -> Tensor:  # fmt: skip
        chosen = resolved_dtype(name, dtype) or dtypes.defaults.floating
        if layout is not strided:
            raise RuntimeError(f"{name} is not implemented for sparse types, got: {layout}")
        if chosen.category != dtypes.FLOAT:
            raise RuntimeError(f"{name} expects floating point dtypes, got: torch.{chosen.name}")
        if window_length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={window_length}")
        require_place(None, device, pin_memory)
        if window_length <= 1:
            points = np.ones(window_length, chosen.array)
        else:
            last = window_length - (0 if periodic else 1)
            points = kernel(np.arange(last + 1).astype(chosen.array), last, *options, **named)[:window_length]
        return leaf(points, name, requires_grad)

    made.__name__, made.__doc__ = name, kernel.__doc__
    return composite(at="torch")(made)


def turned(places: Points, step: float) -> Points:
    """The cosine of each place, so many steps on."""
    return np.asarray(in_double(np.cos, places * places.dtype.type(step)))


@older
def hamming_window(places: Points, last: int, alpha: float = 0.54, beta: float = 0.46) -> Points:
    """α − β cos x."""
    return turned(places, 2 * math.pi / last) * places.dtype.type(-beta) + places.dtype.type(alpha)


@older
def hann_window(places: Points, last: int) -> Points:
    """½ − ½ cos x."""
    return turned(places, 2 * math.pi / last) * places.dtype.type(-0.5) + places.dtype.type(0.5)


@older
def blackman_window(places: Points, last: int) -> Points:
    """Three cosines."""
    kind = places.dtype.type
    angles = places * kind(math.pi / last)
    return turned(angles, 4) * kind(0.08) - turned(angles, 2) * kind(0.5) + kind(0.42)


@older
def bartlett_window(places: Points, last: int) -> Points:
    """A triangle."""
    kind = places.dtype.type
    risen = places * kind(2 / last)
    return np.where(np.arange(last + 1) <= last // 2, risen, kind(2) - risen)


@older
def kaiser_window(places: Points, last: int, beta: float = 12.0) -> Points:
    """A Bessel function's hump; ``beta`` trades width against side lobes."""
    kind = places.dtype.type
    across = (places - kind(last / 2)) * kind(2 / last)
    return bessel_ratio(kind(beta) * np.sqrt(np.maximum(kind(1) - across**2, 0)), beta)
