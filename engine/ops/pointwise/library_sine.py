"""float32 sine and cosine as ``torch.sin`` and ``torch.cos`` give them, to the last bit.

PyTorch leaves them for whole tensors, of any length, to Intel's vector library. What it computes is, in double precision, the
angle less a multiple of π (of odd halves of it for the cosine), and a polynomial of degree 9 for the sine of what is left. That,
and the coefficients, was told from its results, with which this agrees; the polynomial is a tenth of the last place off, so
results that are rightly rounded differ in one number of twenty.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.pointwise.blocks import in_pieces
from engine.ops.pointwise.precision import in_double

f = np.float32
PI_LOW = 1.2246467991473532e-16
"""What π is more than its double."""
COEFFICIENTS = -0.16666659550344254, 0.008333066243051586, -0.000198096026001515, 2.6057795563715197e-06
LARGE = 100_000
"""Further out the multiple of π would need more digits."""


def library_sin(x: Any) -> Any:
    """``sin x`` of float32 numbers; of other dtypes, and far out, rightly rounded."""
    return in_pieces(sine_of_turns, x) if x.dtype == f else in_double(np.sin, x)


def library_cos(x: Any) -> Any:
    """``cos x``, the sine of an angle that is a quarter turn ahead."""
    return in_pieces(cosine_of_turns, x) if x.dtype == f else in_double(np.cos, x)


def sine_of_turns(x: Any) -> Any:
    """``sin x``."""
    return turned(x, 0.0)


def cosine_of_turns(x: Any) -> Any:
    """``sin(x + π / 2)``."""
    return turned(x, 0.5)


def turned(x: Any, ahead: float) -> Any:
    """``sin(x + ahead · π)``."""
    if not x.ndim and abs(x) < LARGE:
        return f(sine_of_number(float(x), ahead))
    near = np.abs(x) < LARGE
    if not near.all():
        far = in_double(np.cos if ahead else np.sin, x)
        return np.where(near, turned(np.where(near, x, f(0)), ahead), far)[()]
    wide = x.astype(np.float64)
    half_turns = np.rint(wide / math.pi + ahead)
    odd = half_turns - 2 * np.rint(half_turns / 2)
    half_turns -= ahead
    wide -= half_turns * math.pi
    wide -= half_turns * PI_LOW
    return (sine_of_rest(wide) * (1 - 2 * odd * odd)).astype(f)


def sine_of_rest(angle: Any) -> Any:
    """The polynomial, for angles of at most a quarter turn."""
    square = angle * angle
    third, fifth, seventh, ninth = COEFFICIENTS
    return angle * (1 + square * (third + square * (fifth + square * (seventh + square * ninth))))


def sine_of_number(x: float, ahead: float) -> float:
    """As `turned`, of one number."""
    half_turns = round(x / math.pi + ahead)
    less = half_turns - ahead
    sine: float = sine_of_rest(x - less * math.pi - less * PI_LOW)
    return -sine if half_turns % 2 else sine
