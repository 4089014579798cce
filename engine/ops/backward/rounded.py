"""Derivatives on bare arrays, rounded as PyTorch's AVX2 backward kernels round.

What people read and what higher derivatives use is the formula that each operator declares. A backward pass over arrays may
compute the same in a kernel's own order: with fused multiply-adds, sums over eight lanes, and SLEEF's exponential. Then the
tenth step of a training loop still prints PyTorch's digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.on_arrays import takes_arrays
from engine.ops.pointwise.activations import hardswish
from engine.ops.pointwise.elu import elu
from engine.ops.pointwise.exponential import log1p_exp, sigmoid
from engine.ops.pointwise.gelu import gelu
from engine.ops.pointwise.precision import fused, in_float, is_half
from engine.ops.pointwise.rounded_slopes import elu_rounded, softplus_rounded
from engine.ops.pointwise.smooth_activations import glu, log_sigmoid_forward, mish, silu, softplus
from engine.ops.pointwise.trigonometry import elementwise_tanh, tanh
from engine.ops.pointwise.vector_exp import elementwise, vector_exp
from engine.ops.reduction.softmax import (
    exponentials_summed,
    log_softmax_operator,
    softmax_operator,
    softmax_rounded,
)


@takes_arrays
def tanh_rounded(grad: Any, result: Any) -> Any:
    """``grad · (1 − y²)``, rounded once before the last product."""
    wide = result.astype(np.complex128 if result.dtype.kind == "c" else np.float64)
    return grad * (1 - wide * wide).astype(result.dtype)


@takes_arrays
def sigmoid_rounded(grad: Any, result: Any) -> Any:
    """``grad · (1 − y) · y``; float16 is rounded at each step."""
    if is_half(result) and result.dtype.kind == "V":
        return in_float(sigmoid_rounded, grad, result)
    return grad * (1 - result) * result


@takes_arrays
def silu_rounded(grad: Any, self: Any) -> Any:
    """``grad · σ(x) · (1 + x · (1 − σ(x)))``."""
    share = elementwise(lambda x, exp: 1 / (1 + exp(-x)), self)
    return grad * share * fused(self, 1 - share, self.dtype.type(1))


@takes_arrays
def mish_rounded(grad: Any, self: Any) -> Any:
    """``grad · (t + x · σ(x) · (1 − t²))`` with ``t = tanh(ln(1 + eˣ))``."""
    one = self.dtype.type(1)
    share = elementwise(lambda x, exp: 1 / (1 + exp(-x)), self)
    bent = elementwise_tanh(log1p_exp(self))
    return grad * fused(self * share, fused(-bent, bent, one), bent)


@takes_arrays
def glu_rounded(grad: Any, self: Any, dim: int) -> Any:
    """``[σ · grad, (1 − σ) · σ · a · grad]``."""
    a, b = np.split(self, 2, dim)
    share = elementwise(lambda x, exp: x.dtype.type(1) / (x.dtype.type(1) + exp(-x)), b)
    return np.concatenate([share * grad, (1 - share) * share * a * grad], dim)


@takes_arrays
def log_softmax_rounded(grad: Any, result: Any, dim: int) -> Any:
    """``grad − e^y · Σ grad``."""
    if not result.ndim:
        return grad - grad * np.exp(result)
    return fused(-vector_exp(result), exponentials_summed(grad, dim % result.ndim), grad)


sigmoid.rounds_steps = True
tanh.bare = {"self": lambda grad, result: tanh_rounded(grad, result)}
sigmoid.bare = {"self": lambda grad, result: sigmoid_rounded(grad, result)}
silu.bare = {"self": lambda grad, self: silu_rounded(grad, self)}
glu.bare = {"self": lambda grad, self, dim: glu_rounded(grad, self, dim)}
mish.bare = {"self": lambda grad, self: mish_rounded(grad, self)}
softplus.bare = {"self": lambda grad, self, beta, threshold: softplus_rounded(grad, self, beta, threshold)}
elu.bare = {"self": lambda grad, self, alpha, scale, input_scale: elu_rounded(grad, self, alpha, scale, input_scale)}
softmax_operator.bare = {"self": lambda grad, result, dim: softmax_rounded(grad, result, dim)}
log_softmax_operator.bare = {"self": lambda grad, result, dim: log_softmax_rounded(grad, result, dim)}

for _operator in (
    gelu,
    silu,
    mish,
    tanh,
    elu,
    hardswish,
    log_sigmoid_forward,
    softmax_operator,
    log_softmax_operator,
):
    _operator.derives_in_float = True
