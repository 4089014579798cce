"""Activation functions without corners."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator, pointwise
from engine.ops.core.dimension import wrapped
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.core.signature import Number
from engine.ops.pointwise.activations import activation
from engine.ops.pointwise.blocks import in_pieces
from engine.ops.pointwise.exponential import log1p_exp, sigmoid
from engine.ops.pointwise.precision import in_float
from engine.ops.pointwise.rounded_slopes import softplus_rounded
from engine.ops.pointwise.trigonometry import elementwise_tanh
from engine.ops.pointwise.vector_exp import elementwise, vector_exp
from engine.ops.pointwise.vector_log import vector_log1p
from engine.ops.selection.masks import where
from engine.tensor import Tensor


def log_of_sigmoid(x: Any) -> Any:
    """``−ln(1 + e⁻ˣ)``, which its kernel computes with vector code to the last number."""
    if x.dtype != np.float32:
        return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))
    return np.minimum(x, np.float32(0)) - in_pieces(lambda v: vector_log1p(vector_exp(v)), -np.abs(x))


def silu_backward(grad: Tensor, self: Tensor) -> Tensor:
    """``σ(x) · (1 + x·(1 − σ(x))) · grad``."""
    share = sigmoid(self)
    return grad * (share * (1 + self * (1 - share)))


@pointwise(formula="x · σ(x)", at="internal", needs_tensors="self", self=lambda grad, self: silu_backward(grad, self))
def silu(self: Any) -> Any:
    """Gives x times its sigmoid (also called swish); it dips below zero, and far from zero its slope is that of relu."""
    floats_only(self, "silu_cpu")
    return in_float(lambda x: elementwise(lambda v, exp: v / (v.dtype.type(1) + exp(-v)), x), self)


def mish_backward(grad: Tensor, self: Tensor) -> Tensor:
    """Product rule on ``x · tanh(softplus x)``."""
    bent = softplus(self).tanh()
    return grad * (bent + self * sigmoid(self) * (1 - bent * bent))


@pointwise(
    formula="x · tanh(ln(1 + eˣ))",
    at="internal",
    needs_tensors="self",
    self=lambda grad, self: mish_backward(grad, self),
)
def mish(self: Any) -> Any:
    """Gives x times tanh of softplus; it dips below zero, and far from zero its slope is that of relu."""
    floats_only(self, "mish_cpu")
    return in_float(lambda x: x * elementwise_tanh(log1p_exp(x)), self)


def softplus_bend(grad: Tensor, grad_output: Tensor, self: Tensor, beta: Any, threshold: Any) -> Tensor:
    """The second slope, below the threshold."""
    share = sigmoid(self * beta)
    return grad * grad_output * where(self * beta < threshold, share * (1 - share) * beta, 0)


@operator(
    at="internal",
    name="softplus_backward",
    grad_output=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold),
    self=lambda grad, grad_output, self, beta, threshold: softplus_bend(grad, grad_output, self, beta, threshold),
)
def softplus_backward(grad_output: Any, self: Any, beta: Any, threshold: Any) -> Any:
    """``softplus``'s derivative as an operation of its own."""
    return in_float(lambda g, x: softplus_rounded(g, x, beta, threshold), grad_output, self)


@pointwise(
    formula="ln(1 + e^(β·x)) / β",
    at="functional",
    inplace=False,
    saves="beta self threshold",
    self=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold),
)
def softplus(self: Any, beta: Number = 1, threshold: Number = 20) -> Any:
    """A relu with its corner rounded off; its slope is the sigmoid of β · x, and one above the threshold."""
    floats_only(self, "softplus_cpu")

    def compute(x: Any) -> Any:
        scaled = x * x.dtype.type(beta)
        return np.where(scaled > threshold, x, log1p_exp(scaled) / x.dtype.type(beta))[()]

    return in_float(compute, self)


@operator(
    order="rows",
    formula="−ln(1 + e⁻ˣ)",
    at="internal",
    name="log_sigmoid",
    outputs="output buffer",
    nondifferentiable=(1,),
    saves="buffer self",
    self=lambda grads, self: grads[0] * sigmoid(-self),
    undefined_gradients=True,
)
def log_sigmoid_forward(self: Any) -> Any:
    """The logarithm of the sigmoid; its slope is the sigmoid of −x."""
    floats_only(self, "log_sigmoid_cpu")
    return in_float(log_of_sigmoid, self), in_float(lambda x: in_pieces(vector_exp, -np.abs(x)), self)


@composite(at="functional")
def logsigmoid(self: Tensor) -> Tensor:
    """The logarithm of the sigmoid."""
    return log_sigmoid_forward(self)[0]


def glu_backward(grad: Tensor, self: Tensor, dim: int) -> Tensor:
    """Product rule on ``a · σ(b)``, the halves put together again."""
    half = self.shape[dim] // 2
    a, b = self.narrow(dim, 0, half), self.narrow(dim, half, half)
    gate = sigmoid(b)
    return TABLES["torch"]["cat"]([grad * gate, grad * gate * (1 - gate) * a], dim)


@operator(
    formula="a · σ(b), x = [a, b]",
    at="functional",
    saves="dim self",
    self=lambda grad, self, dim: glu_backward(grad, self, dim),
)
def glu(self: Any, dim: int = -1) -> Any:
    """Splits in two halves, and multiplies the first by the sigmoid of the second; the first half's gradient is
    multiplied by it too.

    Raises:
        RuntimeError: there is no dimension, or its length is odd.
    """
    if not self.ndim:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    axis = wrapped(dim, self.ndim)
    if self.shape[axis] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {self.shape[axis]}")
    floats_only(self, "glu_cpu")
    a, b = np.split(self, 2, axis)
    return in_float(lambda x, y: x * elementwise(lambda v, exp: v.dtype.type(1) / (v.dtype.type(1) + exp(-v)), y), a, b)


activation("silu", silu)
activation("mish", mish)
