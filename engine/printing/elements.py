"""How one element is spelled: every element of a tensor in one format, found from all those shown.

A floating tensor prints as whole numbers with a point (``3.``), in fixed or in scientific notation. Only finite
non-zero elements decide, also about the width: zeros and infinities take what room they need.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from engine.printing.options import PrintOptions

if TYPE_CHECKING:  # importing torch should be quick
    from numpy.typing import NDArray


class ElementFormat(Protocol):
    """``width`` counts characters, for line breaking; ``spell`` pads to the common width on the left."""

    width: int

    def spell(self, value: Any) -> str:
        """One element as text."""
        ...


def format_for(values: NDArray[Any], options: PrintOptions) -> ElementFormat:
    """The format for elements of ``values``, chosen by its type and contents."""
    if values.dtype.kind == "c":
        return ComplexFormat(values, options)
    if values.dtype.kind in "biu":
        return IntegerFormat(values)
    return FloatFormat(values, options)  # bfloat16 too, which numpy files under kind "V"


class IntegerFormat:
    """Integers and booleans, right-aligned."""

    def __init__(self, values: NDArray[Any]) -> None:
        self.width = max((len(str(value)) for value in values.reshape(-1).tolist()), default=1)

    def spell(self, value: Any) -> str:
        """One element, padded."""
        return str(value).rjust(self.width)


class FloatFormat:
    """Floating-point numbers in whole, fixed or scientific notation."""

    def __init__(self, values: NDArray[Any], options: PrintOptions) -> None:
        self.width = 1
        self.whole = True
        self._spec = ".0f"
        numbers = values.reshape(-1).astype(np.float64)
        deciding = numbers[np.isfinite(numbers) & (numbers != 0)]
        if not deciding.size:
            return
        self.whole = bool((deciding == np.ceil(deciding)).all())
        scientific = _calls_for_exponents(deciding) if options.sci_mode is None else options.sci_mode
        if scientific:
            self.whole = False
            self._spec = f".{options.precision}e"
        elif not self.whole:
            self._spec = f".{options.precision}f"
        self.width = max(len(self._bare(value)) for value in deciding.tolist())

    def spell(self, value: float) -> str:
        """One element, padded."""
        return self._bare(value).rjust(self.width)

    def _bare(self, value: float) -> str:
        text = format(value, self._spec)
        return f"{text}." if self.whole and math.isfinite(value) else text


class ComplexFormat:
    """Real and imaginary part, each in a format of its own."""

    def __init__(self, values: NDArray[Any], options: PrintOptions) -> None:
        self._real = FloatFormat(values.real, options)
        self._imaginary = FloatFormat(values.imag, options)
        self.width = self._real.width + self._imaginary.width + 1

    def spell(self, value: complex) -> str:
        """One element; only the real part is padded."""
        imaginary = self._imaginary.spell(value.imag).lstrip()
        sign = "" if imaginary[0] in "+-" else "+"
        return f"{self._real.spell(value.real)}{sign}{imaginary}j"


def _calls_for_exponents(deciding: NDArray[np.float64]) -> bool:
    """Magnitudes more than a thousand-fold apart, beyond 10⁸ or below 10⁻⁴."""
    magnitudes = np.abs(deciding)
    smallest, largest = float(magnitudes.min()), float(magnitudes.max())
    with np.errstate(over="ignore"):
        spread = np.float64(largest) / np.float64(smallest)
    return bool(spread > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4)
