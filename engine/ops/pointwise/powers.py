"""Powers and roots."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from engine import dtype as dtypes
from engine.late import Late
from engine.ops.core.declare import composite, overloaded, pointwise
from engine.ops.core.on_arrays import takes_arrays
from engine.ops.pointwise.blocks import in_blocks
from engine.ops.pointwise.complex_product import product
from engine.ops.pointwise.complex_quotient import complex_power, quotient
from engine.ops.pointwise.flat import zeros
from engine.ops.pointwise.precision import in_double, in_float
from engine.ops.selection.masks import where
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.ops.pointwise import vector_pow
    from engine.ops.pointwise import vector_sqrt as roots
else:
    vector_pow = Late("engine.ops.pointwise.vector_pow")
    roots = Late("engine.ops.pointwise.vector_sqrt")


@pointwise(
    formula="xⁿ",
    name="pow",
    at="internal",
    promotes="self exponent",
    saves="exponent self",
    self=lambda grad, self, exponent: power_backward(grad, self, exponent),
)
def pow_number(self: Any, exponent: Any) -> Any:
    """Raises to a power; the slope is the exponent times the next lower power."""
    return power(self, exponent)


@pointwise(
    formula="xʸ",
    name="pow",
    grad_fn="PowBackward1",
    at="internal",
    promotes="self exponent",
    saves="exponent result self",
    self=lambda grad, self, exponent: base_backward(grad, self, exponent),
    exponent=lambda grad, self, exponent, result: exponent_backward(grad, self, exponent, result),
)
def pow_tensors(self: Any, exponent: Any) -> Any:
    """Raises each element to its own exponent; the exponent's slope is the result times the logarithm of the base."""
    return power(self, exponent)


@pointwise(
    order="rows",
    formula="cʸ",
    name="pow",
    grad_fn="PowBackward2",
    at="internal",
    inplace=False,
    promotes="self exponent",
    saves="exponent result self",
    exponent=lambda grad, self, exponent, result: exponent_backward(grad, self, exponent, result),
)
def pow_of_number(self: Any, exponent: Any) -> Any:
    """Raises a number to the elements; the slope is the result times the logarithm of the base."""
    return power(self, exponent)


@overloaded(inplace=True, needs_tensors="any")
def pow(self: Any, exponent: Any) -> Any:
    """Raises ``self`` to the power ``exponent``; either may be a number."""
    if not isinstance(self, Tensor):
        return pow_of_number, self, exponent
    return (pow_tensors if isinstance(exponent, Tensor) else pow_number), self, exponent


@overloaded(inplace=True)
def square(self: Any) -> Any:
    """Multiplies by itself."""
    return pow_number, self, 2


@overloaded(needs_tensors="any")
def float_power(self: Any, exponent: Any) -> Any:
    """Like ``pow``, computed in double precision whatever comes in."""
    return pow, as_double(self, exponent), as_double(exponent, self)


@composite(at="torch tensor")
def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """Like ``float_power`` in place, for double precision only.

    Raises:
        RuntimeError: for a base of any other dtype.
    """
    wanted = dtypes.complex128 if isinstance(exponent, complex) or self.dtype.is_complex else dtypes.float64
    if self.dtype is not wanted:
        names = {
            dtypes.float32: "Float",
            dtypes.float16: "Half",
            dtypes.complex64: "ComplexFloat",
            dtypes.int64: "Long",
        }
        raise RuntimeError(
            f"the base given to float_power_ has dtype {names.get(self.dtype, self.dtype)} but the operation's "
            f"result requires dtype {'ComplexDouble' if wanted.is_complex else 'Double'}"
        )
    return self.pow_(exponent)


def as_double(value: Any, beside: Any) -> Any:
    """A tensor in float64 (complex128 if either side is complex), a number as it is."""
    if not isinstance(value, Tensor):
        return float(value) if isinstance(value, int) else value
    is_complex = value.dtype.is_complex or (
        beside.dtype.is_complex if isinstance(beside, Tensor) else isinstance(beside, complex)
    )
    return value.to(dtypes.complex128 if is_complex else dtypes.float64)


def power(base: Any, exponent: Any) -> Any:
    """``base ** exponent`` in their common dtype; small whole and half exponents as exactly as PyTorch computes them.

    Raises:
        RuntimeError: an integer to a negative integer power.
    """
    dtype = base.dtype if hasattr(base, "dtype") else exponent.dtype
    if dtype.kind in "iu":
        if not isinstance(exponent, np.ndarray) and exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        return integer_power(np.asarray(base, dtype), np.asarray(exponent, dtype))
    if dtype.kind == "c":
        return power_of_complex(np.asarray(base, dtype)[()], exponent)
    if getattr(exponent, "ndim", 0) == 0:
        if exponent == 1:
            return +base
        if exponent == 2:
            return base * base
        if exponent == 3:
            return in_steps(lambda x: x * x * x, base)
        if exponent in (-1, -2):
            return in_steps(lambda x: x.dtype.type(1) / (x if exponent == -1 else x * x), base)
        if exponent in (0.5, -0.5):
            return in_float(roots.vector_sqrt if exponent == 0.5 else lambda x: x.dtype.type(1) / np.sqrt(x), base)
    if dtype != np.float32:
        return in_double(np.power, np.asarray(base, dtype)[()], np.asarray(exponent, dtype)[()])
    return float32_power(base, exponent)


def float32_power(base: Any, exponent: Any) -> Any:
    """``base ** exponent`` as an elementwise kernel runs it; what fills no block takes a lone exponent in double precision."""
    if not np.ndim(exponent):
        given, rounded = np.float64(exponent), np.float32(exponent)
        return in_blocks(
            lambda x: vector_pow.vector_pow(x, rounded),
            lambda x: in_double(lambda wide: np.power(wide, given), x),
            np.asarray(base, np.float32)[()],
        )
    x, y = np.broadcast_arrays(np.asarray(base, np.float32), np.asarray(exponent, np.float32))
    return in_blocks(vector_pow.vector_pow, lambda x, y: in_double(np.power, x, y), x, y)


def power_of_complex(base: Any, exponent: Any) -> Any:
    """As `power`: a single number among the exponents that have a way of their own takes it, all others are C's ``cpow``."""
    if not isinstance(exponent, np.ndarray):
        if exponent == 0:
            return np.ones_like(base)
        if exponent == 1:
            return +base
        if exponent == 2:
            return product(base, base, False)
        if exponent == 3:
            return product(product(base, base, False), base, False)
        if exponent == -1:
            return quotient(1, base)
        if exponent == -2:
            return quotient(1, product(base, base, False))
        if exponent == 0.5:
            return roots.vector_sqrt(base)
        if exponent == -0.5:
            return base.dtype.type(1) / np.sqrt(base)
    return complex_power(base, np.asarray(exponent, base.dtype))


def in_steps(function: Any, base: Any) -> Any:
    """As `in_float` for float16; of bfloat16 PyTorch's vectors round every step."""
    return function(base) if base.dtype.kind == "V" else in_float(function, base)


def integer_power(base: Any, exponent: Any) -> Any:
    """Whole numbers; a negative exponent leaves 1 and −1, and makes the rest 0."""
    if not np.any(exponent < 0):
        return np.power(base, exponent)
    positive = np.power(base, np.maximum(exponent, 0))
    flipped = np.where(base == 1, 1, np.where(base == -1, np.where(exponent % 2, -1, 1), 0)).astype(base.dtype)
    return np.where(exponent < 0, flipped, positive)[()]


@takes_arrays
def power_backward(grad: Tensor, base: Tensor, exponent: Any) -> Tensor:
    """``n · xⁿ⁻¹ · grad``; exactly zero for n = 0, even where x⁻¹ is infinite."""
    if not isinstance(base, Tensor):
        return grad * (exponent * power(base, exponent - 1)) if exponent else np.zeros_like(base)
    if exponent == 0:
        return zeros(base)
    return grad * (exponent * below_the_cut(base, grad.dtype).pow(exponent - 1))


def base_backward(grad: Tensor, base: Tensor, exponent: Any) -> Tensor:
    """As `power_backward`, where each element has its exponent."""
    return where(exponent == 0, 0, grad * (exponent * below_the_cut(base, grad.dtype).pow(exponent - 1)))


def exponent_backward(grad: Tensor, base: Any, exponent: Tensor, result: Tensor) -> Tensor:
    """``xʸ · ln x · grad``; zero where 0 is raised to something not negative."""
    upward = (exponent.real >= 0) & (exponent.imag == 0) if exponent.dtype.is_complex else exponent >= 0
    if not isinstance(base, Tensor):
        if base == 0:
            return grad * where(upward, 0, result * -math.inf)
        return grad * (result * logarithm(base, result.dtype.is_complex))
    return grad * where((base == 0) & upward, 0, result * below_the_cut(base, result.dtype).log())


def below_the_cut(base: Tensor, dtype: Any) -> Tensor:
    """A real base of a complex result of ``dtype``, conjugated as what derivatives get that was saved complex.

    A negative one has its logarithm from below the cut.
    """
    return base if base.dtype.is_complex or not dtype.is_complex else base.to(dtype)._conjugated()


def logarithm(number: Any, is_complex: bool) -> Any:
    """The natural logarithm of a Python number; nan for a negative one among reals, and from below the cut among complex numbers."""
    if isinstance(number, complex):
        return complex(np.log(number))
    if is_complex:
        return complex(np.log(complex(number, -0.0)))
    return math.log(number) if number > 0 else math.nan


@pointwise(formula="√x", to_float=True, self=lambda grad, result: grad / (2 * result))
def sqrt(self: Any) -> Any:
    """The square root; at zero its slope is infinite."""
    return in_float(roots.vector_sqrt, self)


@pointwise(formula="1 / √x", to_float=True, self=lambda grad, result: -0.5 * grad * result.pow(3))
def rsqrt(self: Any) -> Any:
    """One over the square root; its slope is minus half the result cubed."""
    return in_float(lambda x: x.dtype.type(1) / np.sqrt(x), self)


@pointwise(formula="1 / x", to_float=True, self=lambda grad, result: -grad * (result * result))
def reciprocal(self: Any) -> Any:
    """One over x; its slope is minus the result squared, steep near zero."""
    return quotient(1, self) if self.dtype.kind == "c" else self.dtype.type(1) / self


@pointwise(
    needs_tensors="other",
    formula="√(x² + y²)",
    self=lambda grad, self, result: grad * self / result,
    other=lambda grad, other, result: grad * other / result,
)
def hypot(self: Any, other: Any) -> Any:
    """The length of the hypotenuse; each leg's slope is its part of the direction."""
    return in_double(np.hypot, self, other)


def reflected_pow(self: Tensor, base: Any) -> Any:
    """``base ** self``."""
    return NotImplemented if isinstance(base, np.ndarray) else pow(base, self)


def power_operator(self: Tensor, exponent: Any, modulo: Any = None) -> Any:
    """``self ** exponent``; tensors have no ``pow(self, exponent, modulo)``, as Python then says."""
    if modulo is not None:
        return NotImplemented
    if isinstance(exponent, np.generic):
        exponent = exponent.item()
    return pow(self, exponent) if isinstance(exponent, Tensor | int | float | complex) else NotImplemented


Tensor.__pow__ = power_operator
Tensor.__rpow__ = reflected_pow
