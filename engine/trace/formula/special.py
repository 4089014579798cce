"""Special functions of one number, so that a formula that holds them can be computed: by series, not by the engine's own ways.

Each raises ValueError where the number is too large for its series.
"""

from __future__ import annotations

import math
from statistics import NormalDist

FAR = 20.0
"""From here on asymptotic series are exact to the last digits that are shown."""
LARGEST = 300.0
"""Where the terms of a Bessel function's series still fit."""
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66)
"""B₂, B₄, …"""


def digamma(x: float) -> float:
    """ψ(x), the slope of ln Γ: shifted up by ψ(x) = ψ(x + 1) − 1/x, then its asymptotic series.

    Raises:
        ValueError: a whole number that is not positive: a pole.
    """
    if x <= 0:
        if x == math.floor(x):
            raise ValueError("no value at a pole")
        return digamma(1 - x) - math.pi / math.tan(math.pi * x)
    shift = 0.0
    while x < FAR:
        shift += 1 / x
        x += 1
    series = sum(b / (2 * k * x ** (2 * k)) for k, b in enumerate(_BERNOULLI, 1))
    return math.log(x) - 1 / (2 * x) - series - shift


def zeta(s: float, q: float) -> float:
    """Hurwitz's ζ(s, q) = Σ 1 / (q + k)ˢ for s > 1 and q > 0, by the Euler–Maclaurin formula.

    Raises:
        ValueError: s or q outside these bounds.
    """
    if s <= 1 or q <= 0:
        raise ValueError("no such sum")
    head = 0.0
    while q < FAR:
        head += math.pow(q, -s)
        q += 1
    tail = math.pow(q, 1 - s) / (s - 1) + math.pow(q, -s) / 2
    rising = s
    for k, b in enumerate(_BERNOULLI, 1):
        tail += b * rising * math.pow(q, 1 - s - 2 * k) / math.factorial(2 * k)
        rising *= (s + 2 * k - 1) * (s + 2 * k)
    return head + tail


def polygamma(first: float, x: float | None = None) -> float:
    """ψ(x), or with two arguments ψ(n, x), the n-th derivative of ψ."""
    if x is None:
        return digamma(first)
    if first == 0:
        return digamma(x)
    n = int(first)
    return (1.0 if n % 2 else -1.0) * math.factorial(n) * zeta(n + 1, x)


def erfinv(x: float) -> float:
    """The inverse of erf, from the normal distribution's."""
    if abs(x) >= 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    return NormalDist().inv_cdf((x + 1) / 2) / math.sqrt(2)


def normal_cdf(x: float) -> float:
    """Φ(x)."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def bessel(order: int, x: float) -> float:
    """Iₙ(x) = Σ (x/2)²ᵏ⁺ⁿ / (k! (k + n)!).

    Raises:
        ValueError: |x| is too large for the series.
    """
    if abs(x) > LARGEST:
        raise ValueError("the series is too long")
    term = total = (x / 2) ** order / math.factorial(order)
    k = 0
    while abs(term) > 1e-17 * abs(total):
        k += 1
        term *= (x / 2) ** 2 / (k * (k + order))
        total += term
    return total


def scaled_bessel(order: int, x: float) -> float:
    """Iₙ(x) · e^−|x|."""
    return bessel(order, x) * math.exp(-abs(x))
