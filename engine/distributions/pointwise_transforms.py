"""Transforms that map each element on its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.distributions import constraints
from engine.distributions.parameters import Lazy, broadcast_all, function_of, functional
from engine.distributions.transform import Transform, widened
from engine.tensor import Tensor
from engine.type_info import finfo


def shape_with(shape: Any, *parameters: Any) -> Any:
    """``shape`` broadcast against the parameters'."""
    return function_of("torch", "broadcast_shapes")(shape, *(getattr(value, "shape", ()) for value in parameters))


class ExpTransform(Transform):
    """y = eˣ."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = 1

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """x."""
        return x


class PowerTransform(Transform):
    """y = x to the ``exponent``."""

    domain = codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @Lazy
    def sign(self) -> Tensor:
        """That of the exponent."""
        sign: Tensor = self.exponent.sign()
        return sign

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all().item())

    __hash__ = None

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """ln |exponent · y / x|."""
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        """Broadcast against the exponent."""
        return shape_with(shape, self.exponent)

    inverse_shape = forward_shape


class SigmoidTransform(Transform):
    """y = 1 / (1 + e⁻ˣ), kept a rounding away from 0 and 1."""

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = 1

    def _clipped(self, y: Any) -> Any:
        limits = finfo(y.dtype)
        return y.clamp(min=limits.tiny, max=1.0 - limits.eps)

    def _call(self, x: Any) -> Any:
        return self._clipped(x.sigmoid())

    def _inverse(self, y: Any) -> Any:
        y = self._clipped(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """−softplus(−x) − softplus(x)."""
        softplus = functional("softplus")
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Transform):
    """y = ln(1 + eˣ)."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = 1

    def _call(self, x: Any) -> Any:
        return functional("softplus")(x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """−softplus(−x)."""
        return -functional("softplus")(-x)


class TanhTransform(Transform):
    """y = tanh x."""

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = 1

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """ln(1 − tanh² x), in a form that does not round to ln 0."""
        return 2.0 * (math.log(2.0) - x - functional("softplus")(-2.0 * x))


class AbsTransform(Transform):
    """y = |x|, which forgets the sign."""

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


class AffineTransform(Transform):
    """y = loc + scale · x; ``event_dim`` trailing dimensions make one value."""

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    event_dim = property(lambda self: self._event_dim)
    domain = codomain = property(lambda self: widened(constraints.real, self._event_dim))

    @property
    def sign(self) -> Any:
        """That of the scale."""
        return int(np.sign(self.scale)) if isinstance(self.scale, int | float) else self.scale.sign()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        pairs = ((self.loc, other.loc), (self.scale, other.scale))
        return all(bool((a == b).all() if isinstance(a == b, Tensor) else a == b) for a, b in pairs)

    __hash__ = None

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """ln |scale|, summed over a value's dimensions."""
        if isinstance(self.scale, int | float):
            result = function_of("torch", "full_like")(x, math.log(abs(self.scale)))
        else:
            result = self.scale.abs().log()
        if not self._event_dim:
            return result.expand(x.shape)
        result = result.view((*result.shape[: -self._event_dim], -1)).sum(-1)
        return result.expand(x.shape[: -self._event_dim])

    def forward_shape(self, shape: Any) -> Any:
        """Broadcast against both parameters."""
        return shape_with(shape, self.loc, self.scale)

    inverse_shape = forward_shape
