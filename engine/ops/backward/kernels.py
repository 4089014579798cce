"""Backward kernels of PyTorch's that a gradient's own graph shows as one node (see `engine.ops.core.recorded`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.backward.rounded import glu_rounded, log_softmax_rounded, tanh_rounded
from engine.ops.core.declare import operator
from engine.ops.core.recorded import recorded
from engine.ops.layout.copies import blank
from engine.ops.layout.joining import cat, pile
from engine.ops.pointwise.activations import hardswish
from engine.ops.pointwise.arithmetic import neg
from engine.ops.pointwise.blending import addcdiv, lerp_tensor
from engine.ops.pointwise.exponential import sigmoid
from engine.ops.pointwise.flat import constant
from engine.ops.pointwise.gelu import BETA, KAPPA, gelu, gelu_backward, gelu_rounded
from engine.ops.pointwise.powers import hypot
from engine.ops.pointwise.precision import in_double, in_float
from engine.ops.pointwise.smooth_activations import (
    glu,
    log_sigmoid_forward,
    mish,
    silu,
)
from engine.ops.pointwise.trigonometry import atanh, tanh
from engine.ops.products.matrix import addmm, column_major, mm, times
from engine.ops.reduction.softmax import log_softmax_operator, softmax_backward_data, softmax_operator
from engine.ops.selection.gathering import index, put_impl
from engine.ops.selection.masks import where
from engine.tensor import Tensor, wrap


@operator(
    at="internal",
    formula="g · (1 − y²)",
    holomorphic=True,
    grad_output=lambda grad, output: tanh_backward(grad, output),
    output=lambda grad, grad_output, output: grad * (-2 * output * grad_output),
)
def tanh_backward(grad_output: Any, output: Any) -> Any:
    """``tanh``'s derivative as an operation of its own."""
    return tanh_rounded(grad_output, output)


@operator(
    at="internal",
    formula="g · (1 − y) · y",
    holomorphic=True,
    grad_output=lambda grad, output: sigmoid_backward(grad, output),
    output=lambda grad, grad_output, output: grad * grad_output * (-2 * output + 1),
)
def sigmoid_backward(grad_output: Any, output: Any) -> Any:
    """``sigmoid``'s derivative as an operation of its own."""
    return grad_output * (output.dtype.type(1) - output) * output


@operator(
    at="internal",
    formula="g · σ(−x)",
    saves="buffer grad_output self",
    grad_output=lambda grad, self, buffer: log_sigmoid_backward(grad, self, buffer),
    self=lambda grad, grad_output, self: grad * grad_output * (sigmoid(self) - 1) * sigmoid(self),
)
def log_sigmoid_backward(grad_output: Any, self: Any, buffer: Any) -> Any:
    """``log_sigmoid``'s derivative as an operation of its own."""
    return in_double(lambda g, x: g / (1 + np.exp(x)), grad_output, self)


@operator(
    at="internal",
    name="_log_softmax_backward_data",
    formula="g − Σ g · eʸ",
    saves="dim grad_output output",
    grad_output=lambda grad, output, dim: grad - (grad * output.exp()).sum(dim, True),
    output=lambda grad, grad_output, output, dim: -grad_output.sum(dim, True) * output.exp() * grad,
)
def log_softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    """``log_softmax``'s derivative as an operation of its own."""
    return in_float(lambda g, y: log_softmax_rounded(g, y, dim), grad_output, output)


@operator(
    at="internal",
    formula="g · (Φ(x) + x·φ(x))",
    saves="approximate grad_output self",
    grad_output=lambda grad, self, approximate: gelu_backward(grad, self, approximate),
    self=lambda grad, grad_output, self, approximate: grad * grad_output * gelu_bend(self, approximate),
    name="gelu_backward",
)
def gelu_kernel_backward(grad_output: Any, self: Any, approximate: str) -> Any:
    """``gelu``'s derivative as an operation of its own."""
    return gelu_rounded(grad_output, self, approximate)


def gelu_bend(x: Tensor, approximate: str) -> Tensor:
    """Gelu's second derivative, ``(2 − x²)·φ(x)``, or that of tanh's approximation."""
    if approximate == "none":
        return (2 - x * x) * (x * x * -0.5).exp() * (1 / math.sqrt(2 * math.pi))
    inner = (BETA * (x + KAPPA * x * x * x)).tanh()
    slope = BETA * (1 + 3 * KAPPA * x * x)
    return (1 - inner * inner) * (slope + x * (3 * KAPPA * BETA * x - inner * slope * slope))


@operator(
    at="internal",
    formula="g · (x/3 + ½) between ±3",
    grad_output=lambda grad, self: hardswish_backward(grad, self),
    self=lambda grad, grad_output, self: where((self > -3) & (self < 3), grad * grad_output / 3, 0),
)
def hardswish_backward(grad_output: Any, self: Any) -> Any:
    """``hardswish``'s derivative as an operation of its own."""
    bent = grad_output * (self / self.dtype.type(3) + self.dtype.type(0.5))
    return np.where(self <= -3, grad_output.dtype.type(0), np.where(self < 3, bent, grad_output))[()]


@operator(
    at="internal",
    name="glu_backward",
    formula="[g · σ(b), g · a · σ(b) · (1 − σ(b))]",
    saves="dim grad_output self",
    grad_output=lambda grad, self, dim: glu_pulled(grad, self, dim),
    self=lambda grad, grad_output, self, dim: glu_bent(grad, grad_output, self, dim),
)
def glu_kernel_backward(grad_output: Any, self: Any, dim: int) -> Any:
    """``glu``'s derivative as an operation of its own."""
    return in_float(lambda g, x: glu_rounded(g, x, dim), grad_output, self)


def glu_pulled(grad: Tensor, self: Tensor, dim: int) -> Tensor:
    """What the gradient of `glu` sends back to the gradient that came in."""
    (a, b), (to_a, to_b) = self.chunk(2, dim), grad.chunk(2, dim)
    gate = sigmoid(b)
    return to_a * gate + to_b * a * (gate * (1 - gate))


def glu_bent(grad: Tensor, grad_output: Tensor, self: Tensor, dim: int) -> Tensor:
    """What the gradient of `glu` sends back to both halves."""
    (a, b), (to_a, to_b) = self.chunk(2, dim), grad.chunk(2, dim)
    gate = sigmoid(b)
    slope = gate * (1 - gate)
    for_b = to_a * slope + to_b * a * slope * (1 - 2 * gate)
    made: Tensor = cat([to_b * slope * grad_output, for_b * grad_output], dim)
    return made


def mish_slope(x: Tensor) -> Tensor:
    """The product rule on ``x · tanh(ln(1 + eˣ))``, in PyTorch's steps."""
    bent = x.exp().log1p().tanh()
    return bent + x * sigmoid(x) * one_less(bent * bent)


def one_less(share: Tensor) -> Tensor:
    """``1 − share`` of two tensors, as some of PyTorch's compositions write it."""
    return wrap(np.ones((), share._array.dtype)) - share


def second_factor(grad: Tensor, first: Tensor, sizes: Any, strides: Any) -> Tensor:
    """The gradient of ``B`` in ``A · B``, laid out as B is: PyTorch multiplies in the order that makes it so."""
    if strides and column_major(strides, sizes):
        return grad.t().mm(first.conj()).t()
    return first.t().conj().mm(grad)


def first_factor(grad: Tensor, second: Tensor, sizes: Any, strides: Any) -> Tensor:
    """The gradient of ``A`` in ``A · B``, laid out as A is."""
    if strides and column_major(strides, sizes):
        return second.conj().mm(grad.t()).t()
    return grad.mm(second.t().conj())


recorded(neg, self=lambda grad: -grad)
recorded(tanh, self=lambda grad, result: tanh_backward(grad, result))
recorded(sigmoid, self=lambda grad, result: sigmoid_backward(grad, result))
recorded(log_sigmoid_forward, self=lambda grads, self, buffer: log_sigmoid_backward(grads[0], self, buffer))
recorded(softmax_operator, self=lambda grad, result, dim: softmax_backward_data(grad, result, dim, None))
recorded(softmax_backward_data, grad_output=lambda grad, output, dim: softmax_backward_data(grad, output, dim, None))
recorded(glu, self=lambda grad, self, dim: glu_kernel_backward(grad, self, dim))
recorded(log_softmax_operator, self=lambda grad, result, dim: log_softmax_backward_data(grad, result, dim, None))
recorded(gelu, self=lambda grad, self, approximate: gelu_kernel_backward(grad, self, approximate))
recorded(hardswish, self=lambda grad, self: hardswish_backward(grad, self))
recorded(silu, self=lambda grad, self: grad * (share := sigmoid(self)) * (1 + self * one_less(share)))
recorded(index, self=lambda grad, indices, self_sym_sizes: put_impl(blank(grad, self_sym_sizes), indices, grad, True))
recorded(pile, tensors=lambda grad, dim: [grad.select(dim, number) for number in range(grad.shape[dim])])
recorded(mish, self=lambda grad, self: grad * mish_slope(self))
recorded(atanh, self=lambda grad, self: grad * 1 / one_less(self.pow(2)))
recorded(
    hypot,
    self=lambda grad, self, result: grad * self / result,
    other=lambda grad, other, result: grad * other / result,
)
recorded(
    lerp_tensor,
    self=lambda grad, weight: grad * one_less(weight),
    weight=lambda grad, end, self: grad * (end - self),
)
recorded(addcdiv, tensor1=lambda grad, tensor2, value: grad * (constant(grad, value) / tensor2))
recorded(
    mm,
    self=lambda grad, mat2, self_sym_sizes, self_sym_strides: first_factor(
        grad, mat2, self_sym_sizes, self_sym_strides
    ),
    mat2=lambda grad, self, mat2_sym_sizes, mat2_sym_strides: second_factor(
        grad, self, mat2_sym_sizes, mat2_sym_strides
    ),
)
recorded(
    addmm,
    mat1=lambda grad, mat2, alpha, mat1_sym_sizes, mat1_sym_strides: times(
        first_factor(grad, mat2, mat1_sym_sizes, mat1_sym_strides), alpha
    ),
    mat2=lambda grad, mat1, alpha, mat2_sym_sizes, mat2_sym_strides: times(
        second_factor(grad, mat1, mat2_sym_sizes, mat2_sym_strides), alpha
    ),
)
