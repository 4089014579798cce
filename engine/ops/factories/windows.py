"""Window functions of signal processing: ``torch.signal.windows`` and the older ``torch.hann_window`` and kin.

A window of M points is symmetric (``sym``), or one period of a longer symmetric one.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.core.declare import composite
from engine.ops.factories.factory import leaf, require_place, resolved_dtype
from engine.placement import strided
from engine.tensor import Tensor

Points = np.ndarray
SUMS = frozenset({"general_hamming", "hamming", "hann", "nuttall"})
"""Windows that PyTorch checks as the ``general_cosine`` they are."""


def window(kernel: Callable[..., Points]) -> Callable[..., Tensor]:
    """Declares ``torch.signal.windows.<kernel>``: the kernel gets M ≥ 2 (or asks for less itself) in float64."""
    name = kernel.__name__.rstrip("_")

    @functools.wraps(kernel)
    def make(
        M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
        requires_grad: bool = False, **options: Any,
    ) -> Tensor:  # fmt: skip
        chosen = resolved_dtype(name, dtype) or dtypes.defaults.floating
        checked = "general_cosine" if name in SUMS else name
        if M < 0:
            raise ValueError(f"{checked} requires non-negative window length, got M={M}")
        if layout is not strided:
            raise ValueError(f"{checked} is implemented for strided tensors only, got: {layout}")
        if chosen not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{checked} expects float32 or float64 dtypes, got: {chosen}")
        require_place(None, device, False)
        points = kernel(M, sym, **options) if M else kernel(2, sym, **options)[:0]
        return leaf(points.astype(chosen.array), name, requires_grad)

    make.__name__ = name
    return composite(at="signal")(make)


def spaced(first: float, step: float, count: int) -> Points:
    """``count`` numbers from ``first`` on."""
    return first + step * np.arange(count)


def whole(M: int, sym: bool) -> int:
    """Steps from one end of the symmetric window to the other."""
    return M - 1 if sym or M == 1 else M


@window
def exponential(M: int, sym: bool, center: float | None = None, tau: float = 1.0) -> Points:
    """Falls off exponentially on both sides of the centre."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    middle = whole(M, sym) / 2 if center is None else center
    return np.asarray(np.exp(-np.abs(spaced(-middle / tau, 1 / tau, M))))


@window
def cosine(M: int, sym: bool) -> Points:
    """Half a wave."""
    step = math.pi / (M if sym or M == 1 else M + 1)
    return np.asarray(np.sin(spaced(0.5 * step, step, M)))


@window
def gaussian(M: int, sym: bool, std: float = 1.0) -> Points:
    """A bell."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    step = 1 / (std * math.sqrt(2))
    return np.asarray(np.exp(-(spaced(-whole(M, sym) / 2 * step, step, M) ** 2)))


@window
def kaiser(M: int, sym: bool, beta: float = 12.0) -> Points:
    """A Bessel function's hump; ``beta`` trades width against side lobes."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M == 1:
        return np.ones(1)
    from scipy import special

    places = np.minimum(spaced(-beta, 2 * beta / whole(M, sym), M), beta)
    return np.asarray(special.i0(np.sqrt(np.maximum(beta * beta - places**2, 0))) / special.i0(beta))


@window
def bartlett(M: int, sym: bool) -> Points:
    """A triangle."""
    return np.ones(1) if M == 1 else 1 - np.abs(spaced(-1.0, 2 / whole(M, sym), M))


def cosine_sum(M: int, sym: bool, weights: Sequence[float]) -> Points:
    """Σ (−1)ⁱ wᵢ cos(i·x) over one turn."""
    if M == 1:
        return np.ones(1)
    turn = spaced(0.0, 2 * math.pi / whole(M, sym), M)
    return np.asarray(sum((-1) ** i * weight * np.cos(i * turn) for i, weight in enumerate(weights)))


@window
def general_cosine(M: int, sym: bool, a: Any = None) -> Points:
    """A weighted sum of cosines."""
    if not isinstance(a, list | tuple):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    return cosine_sum(M, sym, a)


@window
def general_hamming(M: int, sym: bool, alpha: float = 0.54) -> Points:
    """α − (1 − α) cos x."""
    return cosine_sum(M, sym, (alpha, 1 - alpha))


@window
def hamming(M: int, sym: bool) -> Points:
    """0.54 − 0.46 cos x."""
    return cosine_sum(M, sym, (0.54, 0.46))


@window
def hann(M: int, sym: bool) -> Points:
    """½ − ½ cos x."""
    return cosine_sum(M, sym, (0.5, 0.5))


@window
def blackman(M: int, sym: bool) -> Points:
    """Three cosines."""
    return cosine_sum(M, sym, (0.42, 0.5, 0.08))


@window
def nuttall(M: int, sym: bool) -> Points:
    """Four cosines."""
    return cosine_sum(M, sym, (0.3635819, 0.4891775, 0.1365995, 0.0106411))


def older(name: str, make: Callable[..., Tensor], *options: str) -> None:
    """Declares ``torch.<name>(window_length, periodic=True, …)``; ``options`` may follow by position."""

    def made(window_length: int, periodic: bool = True, *given: Any, **rest: Any) -> Tensor:
        named = dict(zip(options, given, strict=False))
        if window_length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={window_length}")
        return make(window_length, sym=not periodic, **named, **rest)

    made.__name__, made.__doc__ = name, make.__doc__
    composite(at="torch")(made)


older("hann_window", hann)
older("bartlett_window", bartlett)
older("blackman_window", blackman)
older("kaiser_window", kaiser, "beta")


@composite(at="torch")
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, **rest: Any
) -> Tensor:
    """α − β cos x."""
    return general_cosine(window_length, sym=not periodic, a=[alpha, beta], **rest)
