"""float32 functions of the C library, to the last bit, where PyTorch computes number by number.

The GNU library computes them in float32 arithmetic after Sun's fdlibm (Ng 1993), up to one unit of the last place off; its
``expf``, ``logf``, ``powf``, ``sinf`` and ``cosf`` are rightly rounded but for very few numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.pointwise.vector_exp import single_exp, whole_power

f = np.float32
ONE, TWO, THREE, SIX, HALF = f(1), f(2), f(3), f(6), f(0.5)
LN2_HIGH, LN2_LOW, INVERSE_LN2 = f(6.9313812256e-01), f(9.0580006145e-06), f(1.4426950216)
EXPM1 = f(-2.0109921195e-07), f(4.0082177293e-06), f(-7.9365076090e-05), f(1.5873016091e-03), f(-3.3333335072e-02)
"""Of ``x/2 · (eˣ + 1) / (eˣ − 1)``, the highest power first."""
LOG1P = (
    f(1.4798198640e-01), f(1.5313838422e-01), f(1.8183572590e-01), f(2.2222198546e-01), f(2.8571429849e-01), f(4.0000000596e-01),
    f(6.6666668653e-01),
)  # fmt: skip
"""Of ``(ln(1 + s) − ln(1 − s) − 2s) / s``, the highest power first."""
HALF_LN2, THREE_HALVES_LN2 = f(0.34657359), f(1.0397207)
TINY_EXPM1 = f(2.0**-25)
MINUS_ONE_FROM, OVERFLOW = f(18.714975), f(88.72168)
LOG_LOW, LOG_HIGH = f(-0.29289323), f(0.41421354)
"""Between them ``1 + x`` lies within a factor √2 of 1."""
BITS_OF_ROOT_HALF, MANTISSA, MANTISSA_BITS = np.int32(0x3F3504F7), np.int32(0x007FFFFF), 23


def horner(x: Any, coefficients: tuple[Any, ...]) -> Any:
    """The polynomial without fused multiply-adds."""
    result = coefficients[0]
    for coefficient in coefficients[1:]:
        result = coefficient + x * result
    return result


def single_expm1(x: Any) -> Any:
    """``eˣ − 1`` as the C library's ``expm1f`` gives it."""
    size = np.abs(x)
    multiple = np.trunc(INVERSE_LN2 * x + np.copysign(HALF, x))
    multiple = np.where(size < THREE_HALVES_LN2, np.sign(x), multiple)
    multiple = np.where(size > HALF_LN2, multiple, f(0)).astype(f)
    high, low = x - multiple * LN2_HIGH, multiple * LN2_LOW
    rest = high - low
    lost = (high - rest) - low
    half = HALF * rest
    square = rest * half
    series = ONE + square * horner(square, EXPM1)
    tail = THREE - series * half
    error = square * ((series - tail) / (SIX - rest * tail))
    near = rest - (rest * error - square)
    error = (rest * (error - lost) - lost) - square
    power = whole_power(multiple)
    ulp = np.ldexp(ONE, -power)
    result = np.select(
        [
            power == 0,
            power == -1,
            (power == 1) & (rest < f(-0.25)),
            power == 1,
            (power <= -2) | (power > 56),
            power < 23,
        ],
        [
            near,
            HALF * (rest - error) - HALF,
            -TWO * (error - (rest + HALF)),
            ONE + TWO * (rest - error),
            np.ldexp(ONE - (error - rest), power) - ONE,
            np.ldexp((ONE - ulp) - (error - rest), power),
        ],
        np.ldexp((rest - (error + ulp)) + ONE, power),
    )
    result = np.where((size < TINY_EXPM1) | np.isnan(x), x, np.where(x < -MINUS_ONE_FROM, -ONE, result))
    return np.where(x > OVERFLOW, f(np.inf), result)


def single_log1p(x: Any) -> Any:
    """``ln(1 + x)`` as the C library's ``log1pf`` gives it."""
    near = (x > LOG_LOW) & (x < LOG_HIGH)
    total = ONE + x
    place = total.view(np.int32) - BITS_OF_ROOT_HALF
    mantissa = ((place & MANTISSA) + BITS_OF_ROOT_HALF).view(f)
    more = np.where(near, x, mantissa - ONE)
    multiple = np.where(near, f(0), (place >> MANTISSA_BITS).astype(f))
    lost = np.where(total >= TWO, ONE - (total - x), x - (total - ONE)) / total
    low = multiple * LN2_LOW + np.where(near, f(0), lost)
    half_square = HALF * more * more
    ratio = more / (TWO + more)
    square = ratio * ratio
    tail = ratio * (half_square + square * horner(square, LOG1P))
    result = multiple * LN2_HIGH - ((half_square - (tail + low)) - more)
    ordinary = (x > -1) & (x < np.inf)
    return result if ordinary.all() else np.where(ordinary, result, np.log1p(x))


def single_tanh(x: Any) -> Any:
    """``tanh x`` as the C library's ``tanhf`` gives it."""
    size = np.abs(x)
    large = size >= ONE
    less = single_expm1(np.where(large, TWO, -TWO) * size)
    result = np.where(large, ONE - TWO / (less + TWO), -less / (less + TWO))
    return np.copysign(np.where(size < f(22), result, ONE), x)


def single_sinh(x: Any) -> Any:
    """``sinh x`` as the C library's ``sinhf`` gives it."""
    size = np.abs(x)
    less = single_expm1(size)
    result = HALF * np.where(size < ONE, TWO * less - less * less / (less + ONE), less + less / (less + ONE))
    result = np.where(size < f(22), result, HALF * single_exp(size))
    return np.copysign(np.where(size < f(2.0**-28), size, result), x)


def single_cosh(x: Any) -> Any:
    """``cosh x`` as the C library's ``coshf`` gives it."""
    size = np.abs(x)
    less = single_expm1(size)
    power = single_exp(size)
    large = HALF * power + np.where(size < f(22), HALF / power, f(0))
    return np.where(size < HALF_LN2, ONE + less * less / (TWO * (ONE + less)), large)
