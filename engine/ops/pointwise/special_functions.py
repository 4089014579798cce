"""The error function, the gamma function and their kin. The numbers come from scipy, imported when first used."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator, overloaded, pointwise
from engine.ops.core.inplace import value_of, write
from engine.ops.core.unimplemented import unimplemented
from engine.ops.pointwise.arithmetic import add_number, mul_number
from engine.ops.pointwise.precision import in_double, in_float
from engine.tensor import Tensor, wrap

TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)


def scipys(name: str, *arrays: Any) -> Any:
    """``scipy.special.<name>`` in double precision, rounded once."""
    import scipy.special

    return in_double(getattr(scipy.special, name), *arrays)


@pointwise(
    formula="2/√π · ∫₀ˣ e^(−t²) dt",
    to_float=True,
    aliases="special.erf",
    self=lambda grad, self: TWO_OVER_ROOT_PI * (-(self.pow(2))).exp() * grad,
)
def erf(self: Any) -> Any:
    """The error function; its slope is the bell curve 2/√π · exp(−x²)."""
    return scipys("erf", self)


@pointwise(
    formula="1 − erf x",
    to_float=True,
    aliases="special.erfc",
    self=lambda grad, self: -TWO_OVER_ROOT_PI * (-(self.pow(2))).exp() * grad,
)
def erfc(self: Any) -> Any:
    """What the error function leaves to one, exact far out; its slope is minus the bell curve 2/√π · exp(−x²)."""
    return scipys("erfc", self)


@pointwise(
    formula="e^(x²) · erfc x",
    at="internal",
    aliases="special.erfcx",
    name="special_erfcx",
    inplace=False,
    to_float=True,
    saves="result self",
    self=lambda grad, self, result: (2 * self * result - TWO_OVER_ROOT_PI) * grad,
)
def erfcx(self: Any) -> Any:
    """The complementary error function times exp(x²); its slope is 2x times the result, less 2/√π."""
    return scipys("erfcx", self)


@pointwise(
    formula="erf⁻¹ x",
    to_float=True,
    aliases="special.erfinv",
    self=lambda grad, self: math.sqrt(math.pi) / 2 * self.erfinv().pow(2).exp() * grad,
)
def erfinv(self: Any) -> Any:
    """The inverse of the error function; its slope is √π/2 · exp(y²), steep near −1 and 1."""
    return np.where(self == 0, self, scipys("erfinv", self))[()]  # keeps the sign of zero


@pointwise(formula="ln |Γ(x)|", to_float=True, aliases="special.gammaln", slope=lambda self: self.digamma())
def lgamma(self: Any) -> Any:
    """The logarithm of the gamma function, which is the factorial of x − 1; its slope is the digamma function."""
    return np.where(np.isinf(self), np.abs(self), scipys("gammaln", self))[()]


def digamma_values(x: Any) -> Any:
    """The digamma function; minus and plus infinity at the zeros, nan at the other poles."""
    import scipy.special

    value = scipy.special.digamma(x)
    return np.where(x == 0, np.copysign(np.inf, -x), np.where((x < 0) & (x == np.floor(x)), np.nan, value))


@pointwise(
    formula="(ln Γ)′(x)",
    to_float=True,
    aliases="special.digamma special.psi",
    slope=lambda self: polygamma_operator(1, self),
)
def digamma(self: Any) -> Any:
    """The slope of the log-gamma function; its own slope is the trigamma function."""
    return in_double(digamma_values, self)


@operator(
    formula="ψ⁽ⁿ⁾(x)",
    at="internal",
    name="polygamma",
    promotes="self",
    to_float=True,
    holomorphic=True,
    self=lambda grad, n, self: grad * polygamma_operator(n + 1, self),
)
def polygamma_operator(n: int, self: Any) -> Any:
    """The n-th slope of the digamma function; its own slope is the next one.

    Raises:
        RuntimeError: for a negative n.
    """
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return in_double(digamma_values, self)
    if n == 1:
        return in_float(trigamma, self)

    def compute(x: Any) -> Any:
        import scipy.special

        factor = math.factorial(n) * (1 if n % 2 else -1)
        return factor * np.asarray(scipy.special.zeta(float(n + 1), x))

    return in_double(compute, self)


def trigamma(x: Any) -> Any:
    """ψ′ by PyTorch's steps (``trigamma`` in ``aten/src/ATen/native/Math.h``), in the array's own precision.

    Numbers below ½ are reflected; six steps of the recurrence lead to where the asymptotic series is good. The sine at a pole is
    not quite zero, so what is infinite comes out as large as the precision allows.
    """
    with np.errstate(all="ignore"):
        low, number = x < 0.5, x.dtype.type
        result = np.where(low, -(number(np.pi) ** 2) / np.sin(number(np.pi) * x) ** 2, number(0))
        above = np.where(low, 1 - x, x)
        for _ in range(6):
            result = result + 1 / (above * above)
            above = above + 1
        inverse = 1 / (above * above)
        series = number(1 / 6) - inverse * (number(1 / 30) - inverse * number(1 / 42))
        result = result + (1 + 1 / (2 * above) + inverse * series) / above
        return np.where(low, -result, result).astype(x.dtype)[()]


@overloaded(at="torch special", needs_tensors="self")
def polygamma(n: Any, self: Any) -> Any:
    """The n-th slope of the digamma function; its own slope is the next one."""
    return polygamma_operator, n, self


@composite(at="tensor", name="polygamma")
def polygamma_method(self: Tensor, n: int) -> Tensor:
    """The n-th slope of the digamma function; its own slope is the next one."""
    return polygamma_operator(n, self)


@pointwise(
    formula="ψ⁽ⁿ⁾(x)",
    at="internal",
    name="polygamma",
    grad_fn="PolygammaBackward1",
    inplace=False,
    to_float=True,
    self=lambda grad, self, n: grad * polygamma_operator(n + 1, self),
)
def tensor_first_polygamma(self: Any, n: int) -> Any:
    """The n-th slope of the digamma function; its own slope is the next one."""
    return polygamma_operator.kernel(n, self)


@composite(at="tensor", name="polygamma_")
def polygamma_in_place(self: Tensor, n: int) -> Tensor:
    """The n-th slope of digamma, in place."""
    value = value_of(tensor_first_polygamma, (self, n))
    return write(self, value, "polygamma_", tensor_first_polygamma, (self, n))


def mvlgamma_backward(grad: Tensor, self: Tensor, p: int) -> Tensor:
    """The sum of digamma at p places half a step apart."""
    steps = wrap(np.arange(1 - p, 1, dtype=self._array.dtype) / 2)
    return grad * (steps + self.unsqueeze(-1)).digamma().sum(-1)


@pointwise(
    formula="ln Γₚ(x)",
    to_float=True,
    aliases="special.multigammaln",
    saves="p self",
    self=lambda grad, self, p: mvlgamma_backward(grad, self, p),
)
def mvlgamma(self: Any, p: int) -> Any:
    """The multivariate log-gamma function; its slope is a sum of digammas, half a step apart.

    Raises:
        RuntimeError: fewer than one dimension.
    """
    import scipy.special

    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    return in_double(
        lambda x: p * (p - 1) / 4 * math.log(math.pi) + sum(scipy.special.gammaln(x - i / 2) for i in range(p)), self
    )


def gamma_density(self: Tensor, other: Tensor) -> Tensor:
    """``xᵃ⁻¹ e⁻ˣ / Γ(a)``."""
    return ((self - 1) * other.log() - other - self.lgamma()).exp()


@pointwise(
    needs_tensors="other",
    formula="P(a, x)",
    aliases="special.gammainc",
    saves="other self",
    self=unimplemented("igamma: input", "self", "")["self"],
    other=lambda grad, self, other: grad * gamma_density(self, other),
)
def igamma(self: Any, other: Any) -> Any:
    """The lower incomplete gamma function, as a share; x's slope is the gamma density there. PyTorch has no derivative
    for its first argument.
    """
    return scipys("gammainc", self, other)


@pointwise(
    needs_tensors="other",
    formula="Q(a, x)",
    aliases="special.gammaincc",
    saves="other self",
    self=unimplemented("igammac: input", "self", "")["self"],
    other=lambda grad, self, other: -grad * gamma_density(self, other),
)
def igammac(self: Any, other: Any) -> Any:
    """The upper incomplete gamma function, as a share; x's slope is minus the gamma density there. PyTorch has no
    derivative for its first argument.
    """
    return scipys("gammaincc", self, other)


@composite(at="special")
def ndtr(self: Tensor) -> Tensor:
    """The share of a standard normal distribution below x."""
    return mul_number(add_number(mul_number(self, math.sqrt(0.5)).erf(), 1), 0.5)


@pointwise(
    formula="Φ⁻¹(x)",
    at="internal",
    aliases="special.ndtri",
    name="special_ndtri",
    inplace=False,
    to_float=True,
    self=lambda grad, result: grad * math.sqrt(2 * math.pi) * (result.square() / 2).exp(),
)
def ndtri(self: Any) -> Any:
    """The inverse of the normal distribution function; its slope is one over the normal density at the result."""
    return scipys("ndtri", self)


@pointwise(
    formula="ln Φ(x)",
    at="internal",
    aliases="special.log_ndtr",
    name="special_log_ndtr",
    inplace=False,
    to_float=True,
    saves="result self",
    self=lambda grad, self, result: grad / math.sqrt(2 * math.pi) * (result + self.pow(2) / 2).neg().exp(),
)
def log_ndtr(self: Any) -> Any:
    """The logarithm of the normal distribution function, exact far below; its slope is the density over the function."""
    return scipys("log_ndtr", self)


@pointwise(
    formula="−x · ln x",
    at="internal",
    aliases="special.entr",
    name="special_entr",
    inplace=False,
    to_float=True,
    self=lambda grad, self: grad * (-(1 + self.log())),
)
def entr(self: Any) -> Any:
    """The entropy −x · ln x; its slope is −ln x − 1, steep near zero."""
    return scipys("entr", self)


@pointwise(
    name="special_zeta",
    at="internal",
    inplace=False,
    to_float=True,
    saves="other self",
    formula="ζ(s, q)",
    self=unimplemented("zeta", "self", "")["self"],
    other=lambda grad, self, other: grad * -self * zeta(self + 1.0, other),
)
def zeta_tensors(self: Any, other: Any) -> Any:
    """The Hurwitz zeta function; q's slope is −s times the function at s + 1. PyTorch has no derivative for its first
    argument.
    """
    return scipys("zeta", self, other)


@pointwise(
    name="special_zeta",
    at="internal",
    inplace=False,
    to_float=True,
    grad_fn="SpecialZetaBackward1",
    saves="other self",
    formula="ζ(s, q)",
    other=lambda grad, self, other: grad * -self * zeta(self + 1.0, other),
)
def zeta_of_number(self: Any, other: Any) -> Any:
    """The Hurwitz zeta function; q's slope is −s times the function at s + 1."""
    return scipys("zeta", other.dtype.type(self), other)


@pointwise(
    name="special_zeta",
    at="internal",
    inplace=False,
    to_float=True,
    grad_fn="SpecialZetaBackward2",
    formula="ζ(s, q)",
    **unimplemented("zeta", "self", ""),
)
def zeta_number(self: Any, other: Any) -> Any:
    """The Hurwitz zeta function. PyTorch has no derivative for its first argument."""
    return scipys("zeta", self, self.dtype.type(other))


@overloaded(at="internal", name="special_zeta", aliases="special.zeta", needs_tensors="any")
def zeta(self: Any, other: Any) -> Any:
    """The Hurwitz zeta function."""
    if not isinstance(self, Tensor):
        return zeta_of_number, self, other
    return (zeta_tensors if isinstance(other, Tensor) else zeta_number), self, other
