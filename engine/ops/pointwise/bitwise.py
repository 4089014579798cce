"""Logic on truth values and bits of whole numbers: no slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import pointwise
from engine.tensor import Tensor


@pointwise(formula="¬x")
def logical_not(self: Any) -> Any:
    """Whether it is zero."""
    return np.equal(self, 0) if self.dtype.kind != "b" else np.logical_not(self)


@pointwise(needs_tensors="other", formula="x ∧ y", promotes="")
def logical_and(self: Any, other: Any) -> Any:
    """Whether neither is zero."""
    return np.logical_and(self != 0, other != 0)


@pointwise(needs_tensors="other", formula="x ∨ y", promotes="")
def logical_or(self: Any, other: Any) -> Any:
    """Whether at least one is not zero."""
    return np.logical_or(self != 0, other != 0)


@pointwise(needs_tensors="other", formula="x ⊕ y", promotes="")
def logical_xor(self: Any, other: Any) -> Any:
    """Whether exactly one is not zero."""
    return np.logical_xor(self != 0, other != 0)


def whole_numbers(name: str, *arrays: Any, booleans: bool = True) -> None:
    """Bits exist in whole numbers and booleans only.

    Raises:
        NotImplementedError: in PyTorch's words.
    """
    for array in arrays:
        kind = np.asarray(array).dtype.kind
        if kind not in "biu" or (kind == "b" and not booleans):
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{scalar_type(np.asarray(array))}'")


@pointwise(formula="~x")
def bitwise_not(self: Any) -> Any:
    """Turns every bit over; for booleans, not."""
    whole_numbers("bitwise_not", self)
    return np.invert(self)


@pointwise(formula="x & y")
def bitwise_and(self: Any, other: Any) -> Any:
    """Bits set in both."""
    whole_numbers("bitwise_and", self, other)
    return np.bitwise_and(self, other)


@pointwise(formula="x | y")
def bitwise_or(self: Any, other: Any) -> Any:
    """Bits set in at least one."""
    whole_numbers("bitwise_or", self, other)
    return np.bitwise_or(self, other)


@pointwise(formula="x ^ y")
def bitwise_xor(self: Any, other: Any) -> Any:
    """Bits set in exactly one."""
    whole_numbers("bitwise_xor", self, other)
    return np.bitwise_xor(self, other)


@pointwise(formula="x << y")
def bitwise_left_shift(self: Any, other: Any) -> Any:
    """Moves the bits up."""
    whole_numbers("lshift", self, other, booleans=False)
    width = self.dtype.itemsize * 8
    far = (np.asarray(other) < 0) | (np.asarray(other) >= width)
    return np.where(far, self.dtype.type(0), np.left_shift(self, np.where(far, 0, other).astype(self.dtype))).astype(
        self.dtype
    )[()]


@pointwise(formula="x >> y")
def bitwise_right_shift(self: Any, other: Any) -> Any:
    """Moves the bits down, keeping the sign."""
    whole_numbers("rshift", self, other, booleans=False)
    last = self.dtype.itemsize * 8 - (1 if self.dtype.kind == "i" else 0)
    far = (np.asarray(other) < 0) | (np.asarray(other) >= self.dtype.itemsize * 8)
    return np.right_shift(self, np.where(far, min(last, self.dtype.itemsize * 8 - 1), other).astype(self.dtype))


@pointwise(needs_tensors="other", formula="gcd(x, y)")
def gcd(self: Any, other: Any) -> Any:
    """The greatest common divisor."""
    whole_numbers("gcd", self, other, booleans=False)
    return np.gcd(self, other)


@pointwise(needs_tensors="other", formula="lcm(x, y)")
def lcm(self: Any, other: Any) -> Any:
    """The least common multiple."""
    whole_numbers("lcm", self, other, booleans=False)
    return np.lcm(self, other)


def inverted(self: Tensor) -> Tensor:
    """``~x``.

    Raises:
        TypeError: for anything but whole numbers and booleans.
    """
    if self._array.dtype.kind not in "biu":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not(self)


def dunder(operator: Any) -> Callable[[Tensor, Any], Any]:
    """The method behind a Python operator; strangers are Python's affair."""

    def call(self: Tensor, other: Any) -> Any:
        if isinstance(other, np.generic):
            other = other.item()
        return operator(self, other) if isinstance(other, Tensor | bool | int | float | complex) else NotImplemented

    return call


def reflected(operator: Any) -> Callable[[Tensor, Any], Any]:
    """The method behind a reflected Python operator: the number on the left becomes a tensor."""

    def call(self: Tensor, other: Any) -> Any:
        if not isinstance(other, bool | int | float | complex):
            return NotImplemented
        number = np.asarray(other)[()]
        return operator(Tensor._output_again(number, None, None, 0), self)

    return call


Tensor.__invert__ = inverted
Tensor.__and__ = Tensor.__rand__ = dunder(bitwise_and)
Tensor.__or__ = Tensor.__ror__ = dunder(bitwise_or)  # type: ignore[assignment]  # set under another type
Tensor.__xor__ = Tensor.__rxor__ = dunder(bitwise_xor)
Tensor.__lshift__ = dunder(bitwise_left_shift)
Tensor.__rshift__ = dunder(bitwise_right_shift)
Tensor.__rlshift__ = reflected(bitwise_left_shift)
Tensor.__rrshift__ = reflected(bitwise_right_shift)
