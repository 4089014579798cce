"""Counts of events: ``torch.poisson`` and ``torch.binomial``.

Both draw by rejection, so how many words a value takes depends on the words; they go one element at a time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.random.element_types import Array, cast, is_floating, refuse
from engine.random.generator import Generator


def poisson(generator: Generator, rates: Array) -> Array:
    """One Poisson count per rate, in the type of ``rates``.

    From a rate of 10 on: transformed rejection (Hörmann 1993, PTRS). Below: multiply uniforms until the product falls
    under e^(−rate) (Knuth).

    Raises:
        NotImplementedError: ``rates`` is not floating.
        RuntimeError: a negative rate.
    """
    if not is_floating(rates.dtype):
        refuse("poisson_cpu", rates.dtype)
    counts = [_poisson(generator, rate) for rate in rates.astype(np.float64).reshape(-1).tolist()]
    return cast(np.array(counts, np.float64), rates.dtype).reshape(rates.shape)


def _poisson(generator: Generator, rate: float) -> int:
    if not rate >= 0:
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    if rate == 0:
        return 0
    if rate < 10:
        threshold, product, count = math.exp(-rate), generator.unit(), 0
        while product > threshold:
            product *= generator.unit()
            count += 1
        return count
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = generator.unit() - 0.5
        v = generator.unit()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43) if us else -1
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        accepted = math.log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b) if v else -math.inf
        if accepted <= -rate + k * log_rate - math.lgamma(k + 1):
            return k


def binomial(generator: Generator, counts: Array, probabilities: Array) -> Array:
    """Successes among ``counts`` trials, element by element; both arrays have one shape and one floating type.

    Raises:
        NotImplementedError: the type is not float32 or float64 (or a half type).
    """
    dtype = counts.dtype
    if not is_floating(dtype):
        refuse("binomial_cpu", dtype)
    pairs = zip(counts.reshape(-1), probabilities.reshape(-1), strict=True)
    with np.errstate(all="ignore"):
        values = [_binomial(generator, count, probability) for count, probability in pairs]
    return np.array(values, dtype).reshape(counts.shape)


def _binomial(generator: Generator, count: Any, probability: Any) -> Any:
    """``count`` and ``probability`` are numpy scalars: PyTorch computes partly in their type, partly in float64."""
    if count <= 0 or probability <= 0:
        return 0
    if probability >= 1:
        return count
    if probability <= 0.5:
        return _successes(generator, count, probability)
    if probability > 0.5:
        return count - _successes(generator, count, type(probability)(1.0 - float(probability)))
    return math.nan


def _successes(generator: Generator, count: Any, probability: Any) -> Any:
    if count * probability >= 10:
        return _transformed_rejection(generator, count, probability)
    log_failure = float(np.log1p(-probability))
    trials, successes = 0.0, 0
    while True:  # waiting times between successes, until they exceed the trials there are
        uniform = generator.unit()
        trials += math.ceil(math.log(uniform) / log_failure) if uniform else math.inf
        if trials > count:
            return type(count)(successes)
        successes += 1


def _transformed_rejection(generator: Generator, count: Any, probability: Any) -> Any:
    """BTRS (Hörmann 1993)."""
    one = type(count)(1)
    spread = float(np.sqrt(count * probability * (one - probability)))
    n, p = float(count), float(probability)
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = float(count * probability) + 0.5
    v_r = 0.92 - 4.2 / b
    odds = float(probability / (one - probability))
    alpha = (2.83 + 5.1 / b) * spread
    mode = math.floor(float((count + one) * probability))
    while True:
        u = generator.unit() - 0.5
        v = generator.unit()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + c) if us else -1
        if k < 0 or k > n:
            continue
        if us >= 0.07 and v <= v_r:
            return type(count)(k)
        limit = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (n - mode + 1)))
            + (n + 1) * math.log((n - mode + 1) / (n - k + 1))
            + (k + 0.5) * math.log(odds * (n - k + 1) / (k + 1))
            + _stirling_tail(mode)
            + _stirling_tail(n - mode)
            - _stirling_tail(k)
            - _stirling_tail(n - k)
        )
        if not v or math.log(v * alpha / (a / (us * us) + b)) <= limit:
            return type(count)(k)


_STIRLING_TAIL = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip


def _stirling_tail(k: float) -> float:
    """log k! less Stirling's approximation: a table below 10, the series above."""
    if k < len(_STIRLING_TAIL):
        return _STIRLING_TAIL[int(k)]
    square = (k + 1) ** 2
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
