"""float32 ``eˣ`` as ``torch.exp`` gives it, to the last bit.

PyTorch leaves exponentials of whole tensors, of any length, to Intel's vector library. What it computes is Tang's method (1989,
"Table-driven implementation of the exponential function"): x = k · ln 2 / 128 + r, and 2^(k/128) from a table, in two floats,
times ``1 + r + r²/2``, without fused multiply-adds. That was told from its results, with which this agrees.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.pointwise.precision import in_double

f = np.float32
CELLS = 128
CELL = math.log(2) / CELLS
CELL_HIGH = f(0.0054168701171875)
CELL_LOW = f(CELL - float(CELL_HIGH))
PER_CELL = f(1 / CELL)
HALF = f(0.5)
POWERS = 2.0 ** (np.arange(CELLS) / CELLS)
HIGH = POWERS.astype(f)
LOW = (POWERS - HIGH).astype(f)
ORDINARY = f(87)
"""As far on both sides, powers are normal numbers."""
MANTISSA_BITS = 23


def library_exp(x: Any) -> Any:
    """``eˣ`` of float32 numbers; of other dtypes, and beyond the ordinary, rightly rounded."""
    if x.dtype != f:
        return in_double(np.exp, x)
    if not x.ndim:
        return f(power_of_number(float(x))) if abs(x) < ORDINARY else in_double(np.exp, x)[()]
    ordinary = np.abs(x) < ORDINARY
    if not ordinary.all():
        return np.where(ordinary, library_exp(np.where(ordinary, x, f(0))), in_double(np.exp, x))
    multiple = np.rint(x * PER_CELL)
    rest = x - multiple * CELL_HIGH
    rest -= multiple * CELL_LOW
    more = HALF * rest
    more *= rest
    more += rest
    place = multiple.astype(np.int32)
    cell = place & (CELLS - 1)
    high = HIGH.take(cell)
    more *= high
    more += LOW.take(cell)
    more += high
    scaled = more.view(np.int32)
    scaled += (place >> 7) << MANTISSA_BITS
    return more


def power_of_number(x: float) -> float:
    """The same of one number, with all that is smaller than the last place in double precision: a thousandth differ."""
    multiple = round(x / CELL)
    rest = x - multiple * CELL
    return math.ldexp(POWERS[multiple % CELLS] * (1 + (rest + 0.5 * rest * rest)), multiple // CELLS)
