"""Gradients of batch normalisation: by its formula, and in float32 rounded as PyTorch's kernels round."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.ops.neural.channel_moments import moments
from engine.ops.neural.standardising import channel_shape
from engine.ops.pointwise.precision import fused
from engine.summation import LANES, lanes_summed
from engine.tensor import Tensor, wrap


def batch_norm_slopes(
    grads: list[Any],
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    eps: float,
    needs: list[bool],
    kept: tuple[Tensor, Tensor] | None = None,
) -> list[Any]:
    """Gradients of input, weight and bias; ``kept`` are mean and 1/std as the forward pass rounded them."""
    grad = grads[0]
    dims = [d for d in range(input.ndim) if d != 1]
    shape = channel_shape(input.ndim)
    if training and not modes.grad_enabled and grad.ndim > 1 and all_float32(grad, input, weight):
        return slopes_rounded(grad, input, weight, eps, needs, kept and [each._array.reshape(shape) for each in kept])
    if training:
        mean = input.mean(dims, keepdim=True)
        centred = input - mean
        inverse_std = ((centred * centred).mean(dims, keepdim=True) + eps).rsqrt()
    else:
        assert running_mean is not None
        assert running_var is not None
        dense = grad.ndim == 2 and grad._array.flags.c_contiguous  # else PyTorch's kernel is another
        if not modes.grad_enabled and dense and all_float32(grad, input, weight, running_mean, running_var):
            return frozen_slopes_rounded(grad, input, weight, running_mean._array, running_var._array, eps, needs)
        centred = input - running_mean.view(shape)
        inverse_std = (running_var.view(shape) + eps).rsqrt()
    factor = inverse_std if weight is None else inverse_std * weight.view(shape)
    along = (grad * centred).sum(dims, keepdim=True)
    slope = grad
    if training:
        # In the order of PyTorch's kernel, so that what cancels there cancels here: a sum's gradient is zero exactly.
        count = math.prod(input.shape[d] for d in dims)
        slope = grad - grad.mean(dims, keepdim=True) - centred * (along * inverse_std * inverse_std / count)
    return [
        slope * factor if needs[0] else None,
        (along * inverse_std).reshape(-1) if needs[1] else None,
        grad.sum(dims) if needs[2] else None,
    ]


def all_float32(*tensors: Tensor | None) -> bool:
    """Whether all that are given are of float32."""
    return all(tensor is None or tensor._array.dtype == np.float32 for tensor in tensors)


def slopes_rounded(
    grad: Tensor, input: Tensor, weight: Tensor | None, eps: float, needs: list[bool], kept: Any = None
) -> list[Any]:
    """`batch_norm_slopes` in training, rounded as PyTorch's AVX2 kernels round.

    A matrix is added up row by row in float32. Else every channel of a sample is added up over eight lanes, and the samples
    in float64.
    """
    x, incoming = input._array, grad._array
    channels, count = x.shape[1], x.size // x.shape[1]
    mean, inverse_std = (each.astype(np.float32) for each in kept or moments(x, eps))
    centred = x - mean
    along: Any = np.zeros(channels, np.float32)
    if x.ndim == 2:
        total = np.add.accumulate(incoming)[-1]
        for row, factor in zip(centred, incoming, strict=True):
            along = fused(row, factor, along)
        along, raised = (each.reshape(mean.shape) for each in (along, along * inverse_std.reshape(-1)))
    else:
        planes = [each.reshape(len(x) * channels, -1) for each in (incoming, centred * incoming)]
        total, along = (lanes_summed(each).reshape(len(x), channels).astype(np.float64).sum(0) for each in planes)
        along, raised = along.reshape(mean.shape).astype(np.float32), along.reshape(mean.shape) * inverse_std
    shift = incoming - (total / total.dtype.type(count)).astype(np.float32).reshape(mean.shape)
    slope = along * inverse_std * inverse_std / np.float32(count)
    result = fused(-centred, slope, shift)
    whole = channels - channels % LANES["f4"]
    if x.ndim == 2 and whole < channels:  # columns that fill no vector are not fused
        result[:, whole:] = (shift - centred * slope)[:, whole:]
    result = result * inverse_std
    if weight is not None:
        result = result * weight._array.reshape(mean.shape)
    answers = result, raised.reshape(-1).astype(np.float32), total.astype(np.float32)
    return [wrap(answer) if needed else None for answer, needed in zip(answers, needs, strict=True)]


def frozen_slopes_rounded(
    grad: Tensor, input: Tensor, weight: Tensor | None, mean: Any, var: Any, eps: float, needs: list[bool]
) -> list[Any]:
    """`batch_norm_slopes` of a matrix by kept statistics, added up row by row as in `slopes_rounded`."""
    incoming = grad._array
    inverse_std = (1 / np.sqrt(var + np.float64(eps))).astype(np.float32)
    along: Any = np.zeros_like(mean)
    for row, factor in zip(input._array - mean, incoming, strict=True):
        along = fused(row, factor, along)
    result = incoming * inverse_std
    if weight is not None:
        result = result * weight._array
    answers = result, along * inverse_std, np.add.accumulate(incoming)[-1]
    return [wrap(answer) if needed else None for answer, needed in zip(answers, needs, strict=True)]
