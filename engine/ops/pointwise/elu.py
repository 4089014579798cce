"""Elu and its kin: straight above zero, bent below it, smoothly or nearly so."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator, pointwise
from engine.ops.core.inplace import InPlace
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.core.signature import Number
from engine.ops.pointwise.activations import IN_PLACE_NEGATIVE, activation
from engine.ops.pointwise.exponential import elementwise_expm1
from engine.ops.pointwise.precision import in_float
from engine.ops.pointwise.rounded_slopes import elu_rounded
from engine.ops.selection.masks import where
from engine.tensor import Tensor

SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
"""Chosen by Klambauer et al. (2017) so that mean 0 and variance 1 survive the layer."""


def elu_bend(grad: Tensor, grad_output: Tensor, self: Tensor, alpha: float, scale: float, input_scale: float) -> Tensor:
    """The second slope, on the bent side only; at the corner PyTorch counts it as straight."""
    bent = (self * input_scale).exp() * (input_scale * input_scale * alpha * scale)
    return grad * grad_output * where(self < 0, bent, 0)


@operator(
    at="internal",
    name="elu_backward",
    grad_output=lambda grad, self, alpha, scale, input_scale: elu_backward(grad, self, alpha, scale, input_scale),
    self=lambda grad, grad_output, self, alpha, scale, input_scale: elu_bend(
        grad, grad_output, self, alpha, scale, input_scale
    ),
)
def elu_backward(grad_output: Any, self: Any, alpha: float, scale: float, input_scale: float) -> Any:
    """``elu``'s derivative as an operation of its own."""
    return in_float(lambda g, x: elu_rounded(g, x, alpha, scale, input_scale), grad_output, self)


def elu_result_backward(grad: Tensor, result: Tensor, alpha: float, scale: float, input_scale: float) -> Tensor:
    """The same, told by the result.

    Raises:
        RuntimeError: a negative α turns negative numbers positive, so the result does not tell where it came from.
    """
    if alpha < 0:
        raise RuntimeError(IN_PLACE_NEGATIVE.format("elu"))
    bent = grad * input_scale * (result + alpha * scale)
    return where(result <= 0, bent, grad * scale)


def elu_kernel(x: Any, alpha: float, scale: float, input_scale: float) -> Any:
    """``scale · x`` above zero, ``scale · alpha · (e^(input_scale · x) − 1)`` below."""
    floats_only(x, "elu_cpu")
    if x.dtype.itemsize == 2:
        return in_float(lambda v: elu_kernel(v, alpha, scale, input_scale), x)
    kind = x.dtype.type
    bent = elementwise_expm1(np.minimum(x, kind(0)) * kind(input_scale)) * kind(alpha * scale)
    return np.where(x < 0, bent, x * kind(scale))[()]


@pointwise(
    formula="x if x > 0 else α·(eˣ − 1)",
    at="internal",
    needs_tensors="self",
    inplace=False,
    saves="alpha input_scale scale self",
    self=lambda grad, self, alpha, scale, input_scale: elu_backward(grad, self, alpha, scale, input_scale),
)
def elu(self: Any, alpha: Number = 1.0, scale: Number = 1, input_scale: Number = 1) -> Any:
    """Like relu, but the negative side bends down to −α instead of being cut off; there its slope is the result plus α."""
    return elu_kernel(self, alpha, scale, input_scale)


@operator(
    formula="x if x > 0 else α·(eˣ − 1)",
    at="internal",
    needs_tensors="self",
    name="elu",
    grad_fn="EluBackward1",
    saves="alpha input_scale result scale",
    self=lambda grad, result, alpha, scale, input_scale: elu_result_backward(grad, result, alpha, scale, input_scale),
)
def elu_in_place(self: Any, alpha: Number = 1.0, scale: Number = 1, input_scale: Number = 1) -> Any:
    """Like relu, but the negative side bends down to −α instead of being cut off; there its slope is the result plus α."""
    return elu_kernel(self, alpha, scale, input_scale)


@pointwise(
    formula="x if x > 0 else α·(e^(x/α) − 1)",
    at="torch",
    inplace=False,
    saves="alpha self",
    self=lambda grad, self, alpha: elu_backward(grad, self, alpha, 1, 1 / alpha),
)
def celu(self: Any, alpha: Number = 1.0) -> Any:
    """Elu whose slope has no jump at zero; on the negative side it is exp(x/α)."""
    return celu_kernel(self, alpha)


@operator(
    formula="x if x > 0 else α·(e^(x/α) − 1)",
    at="internal",
    name="celu",
    grad_fn="CeluBackward1",
    saves="alpha result",
    self=lambda grad, result, alpha: elu_result_backward(grad, result, alpha, 1, 1 / alpha),
)
def celu_in_place(self: Any, alpha: Number = 1.0) -> Any:
    """Elu whose slope has no jump at zero; on the negative side it is exp(x/α)."""
    return celu_kernel(self, alpha)


def celu_kernel(x: Any, alpha: float) -> Any:
    """Elu scaled so that its slope at zero is one.

    Raises:
        RuntimeError: α is zero.
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return elu_kernel(x, alpha, 1, 1 / alpha)


@composite(at="torch functional")
def selu(self: Tensor, inplace: bool = False) -> Tensor:
    """Elu with the α and scale that keep activations normalised."""
    return (InPlace(elu_in_place) if inplace else elu)(self, SELU_ALPHA, SELU_SCALE)


@composite(at="torch functional")
def selu_(self: Tensor) -> Tensor:
    """Like ``selu``, writing the result into ``self``."""
    return selu(self, inplace=True)


activation("elu", elu, elu_in_place, before=2)
activation("celu", celu, celu_in_place, methods="functional torch")
