"""Window functions of signal processing: ``torch.signal.windows``; their elder kin are in `older_windows`.

A window of M points is symmetric (``sym``), or one period of a longer symmetric one. Each step is rounded as PyTorch rounds it, since
the smallest numbers at a window's ends are rounding and nothing else.
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
from engine.ops.factories.sequences import spaced_reals
from engine.ops.pointwise.precision import in_double
from engine.placement import strided
from engine.tensor import Tensor

Points = np.ndarray
SUMS = frozenset({"general_hamming", "hamming", "hann", "nuttall"})
"""Windows that PyTorch checks as the ``general_cosine`` they are."""


def window(kernel: Callable[..., Points]) -> Callable[..., Tensor]:
    """Declares ``torch.signal.windows.<kernel>``: the kernel gets M ≥ 2 (or asks for less itself) and the array dtype to calculate in."""
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
        points = kernel(max(M, 1), sym, chosen.array, **options)[:M]
        return leaf(points, name, requires_grad)

    make.__name__ = name
    return composite(at="signal")(make)


def evenly(first: float, step: float, count: int, kind: np.dtype[Any], last: float = math.inf) -> Points:
    """``count`` numbers from ``first`` on, to at most ``last``, as `linspace` makes them."""
    if count == 1:
        return np.full(1, first, kind)
    return spaced_reals(first, min(last, first + (count - 1) * step), count, kind)


def whole(M: int, sym: bool) -> int:
    """Steps from one end of the symmetric window to the other."""
    return M - 1 if sym or M == 1 else M


@window
def exponential(M: int, sym: bool, kind: np.dtype[Any], center: float | None = None, tau: float = 1.0) -> Points:
    """Falls off exponentially on both sides of the centre.

    Raises:
        ValueError: a decay that is not positive, or a centre of a symmetric window.
    """
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    middle = whole(M, sym) / 2 if center is None else center
    return np.asarray(in_double(np.exp, -np.abs(evenly(-middle / tau, 1 / tau, M, kind))))


@window
def cosine(M: int, sym: bool, kind: np.dtype[Any]) -> Points:
    """Half a wave."""
    step = math.pi / (M if sym or M == 1 else M + 1)
    return np.asarray(in_double(np.sin, evenly(0.5 * step, step, M, kind)))


@window
def gaussian(M: int, sym: bool, kind: np.dtype[Any], std: float = 1.0) -> Points:
    """A bell.

    Raises:
        ValueError: a width that is not positive.
    """
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    step = 1 / (std * math.sqrt(2))
    return np.asarray(in_double(np.exp, -(evenly(-whole(M, sym) / 2 * step, step, M, kind) ** 2)))


@window
def kaiser(M: int, sym: bool, kind: np.dtype[Any], beta: float = 12.0) -> Points:
    """A Bessel function's hump; ``beta`` trades width against side lobes.

    Raises:
        ValueError: a negative shape.
    """
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M == 1:
        return np.ones(1, kind)
    places = evenly(-beta, 2 * beta / whole(M, sym), M, kind, beta)
    return bessel_ratio(np.sqrt(kind.type(beta * beta) - places**2), beta)


def bessel_ratio(heights: Points, beta: float) -> Points:
    """``I₀(heights) / I₀(beta)``."""
    from scipy import special

    return np.asarray(in_double(special.i0, heights) / in_double(special.i0, np.asarray(beta, heights.dtype)))


@window
def bartlett(M: int, sym: bool, kind: np.dtype[Any]) -> Points:
    """A triangle."""
    return np.ones(1, kind) if M == 1 else 1 - np.abs(evenly(-1.0, 2 / whole(M, sym), M, kind))


def cosine_sum(M: int, sym: bool, kind: np.dtype[Any], weights: Sequence[float]) -> Points:
    """Σ (−1)ⁱ wᵢ cos(i·x) over one turn."""
    if M == 1:
        return np.ones(1, kind)
    turn = evenly(0.0, 2 * math.pi / whole(M, sym), M, kind)
    signed = np.array([(-1) ** i * weight for i, weight in enumerate(weights)], kind)
    waves = in_double(np.cos, np.arange(len(signed), dtype=kind)[:, None] * turn)
    return np.asarray(functools.reduce(np.add, signed[:, None] * waves))


@window
def general_cosine(M: int, sym: bool, kind: np.dtype[Any], a: Any = None) -> Points:
    """A weighted sum of cosines.

    Raises:
        TypeError: no list of weights.
        ValueError: an empty one.
    """
    if not isinstance(a, list | tuple):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    return cosine_sum(M, sym, kind, a)


@window
def general_hamming(M: int, sym: bool, kind: np.dtype[Any], alpha: float = 0.54) -> Points:
    """α − (1 − α) cos x."""
    return cosine_sum(M, sym, kind, (alpha, 1 - alpha))


@window
def hamming(M: int, sym: bool, kind: np.dtype[Any]) -> Points:
    """0.54 − 0.46 cos x."""
    return cosine_sum(M, sym, kind, (0.54, 0.46))


@window
def hann(M: int, sym: bool, kind: np.dtype[Any]) -> Points:
    """½ − ½ cos x."""
    return cosine_sum(M, sym, kind, (0.5, 0.5))


@window
def blackman(M: int, sym: bool, kind: np.dtype[Any]) -> Points:
    """Three cosines."""
    return cosine_sum(M, sym, kind, (0.42, 0.5, 0.08))


@window
def nuttall(M: int, sym: bool, kind: np.dtype[Any]) -> Points:
    """Four cosines."""
    return cosine_sum(M, sym, kind, (0.3635819, 0.4891775, 0.1365995, 0.0106411))
