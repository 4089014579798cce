"""Batch normalisation: statistics per channel, over the batch or kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.ops.core.batching import refuse_shared_statistics
from engine.ops.core.declare import composite, operator
from engine.ops.core.operator import Operator
from engine.ops.neural.batch_norm_slopes import batch_norm_slopes
from engine.ops.neural.channel_moments import moments
from engine.ops.neural.running_statistics import update_running
from engine.ops.neural.standardising import channel_shape, check_dtypes
from engine.ops.pointwise.precision import fused, is_half
from engine.tensor import Tensor


def scaled_and_shifted(input: Any, mean: Any, inverse_std: Any, weight: Any, bias: Any, shape: Any) -> Any:
    """``(x − mean) · factor + bias``; in float32 ``x · factor + (bias − mean · factor)``, both fused as PyTorch's kernel is.

    The mean itself then need not come out as zero: 3 among 1, 3 and 5 gives −6e-8.
    """
    weight, bias = (None if a is None else a.reshape(shape) for a in (weight, bias))
    kinds = {a.dtype for a in (input, weight, bias) if a is not None}
    if is_half(input):
        input, kinds = input.astype(np.float32), {np.dtype(np.float32)}
        weight, bias = (None if a is None else a.astype(np.float32) for a in (weight, bias))
    if kinds != {np.dtype(np.float32)}:
        factor = inverse_std if weight is None else inverse_std * weight
        result = (input - mean) * factor
        return result if bias is None else result + bias
    mean, factor = mean.astype(np.float32), inverse_std.astype(np.float32)
    factor = factor if weight is None else factor * weight
    return fused(input, factor, fused(-mean, factor, np.zeros_like(mean) if bias is None else bias))


@operator(
    order="images or rows",
    at="torch",
    formula="(x − mean) / √(var + ε) · γ + β",
    outputs="result0 result1 result2",
    nondifferentiable=(1, 2),
    undefined_gradients=True,
    saves="eps input result1 result2 running_mean running_var training weight",
    differentiable="input weight bias",
    joint=lambda grads, input, weight, running_mean, running_var, result1, result2, training, eps, needs: (
        batch_norm_slopes(grads, input, weight, running_mean, running_var, training, eps, needs, (result1, result2))
    ),
)
def native_batch_norm(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, momentum: float, eps: float
) -> Any:
    """Gives each channel mean 0 and variance 1 over the batch (or by the kept statistics), then scales and shifts it;
    in training a channel's gradients add up to zero, for all samples share its mean.
    """
    check_dtypes("batch_norm", input, (weight, bias, running_mean, running_var))
    shape = channel_shape(input.ndim)
    dtype = (weight if weight is not None and weight.dtype.itemsize > input.dtype.itemsize else input).dtype
    if training:
        mean, inverse_std = moments(input, eps, dtype)
    else:
        mean, var = running_mean.astype(np.float64).reshape(shape), running_var.reshape(shape)
        inverse_std = 1 / np.sqrt(var + (np.float32(eps) if var.dtype == np.float32 else np.float64(eps)))
    result = scaled_and_shifted(input, mean, inverse_std, weight, bias, shape)
    if training:
        kept = mean.reshape(-1).astype(dtype), inverse_std.reshape(-1).astype(dtype)
    else:
        kept = np.empty(0, dtype), np.empty(0, dtype)
    return (result.astype(input.dtype), *kept)


def legit(grad_fn: str, saves: str, slopes: Callable[..., Any]) -> Operator:
    """The same operator under the name and with the saved variables of one ``_native_batch_norm_legit``."""
    return operator(
        at="internal",
        name="_native_batch_norm_legit",
        grad_fn=grad_fn,
        formula=native_batch_norm.formula,
        outputs="result0 result1 result2",
        nondifferentiable=(1, 2),
        undefined_gradients=True,
        saves=saves,
        differentiable="input weight bias",
        joint=slopes,
    )(native_batch_norm.definition)


with_running = legit(
    "NativeBatchNormLegitBackward0",
    "eps input result1 result2 running_mean running_var training weight",
    lambda grads, input, weight, running_mean, running_var, result1, result2, training, eps, needs: batch_norm_slopes(
        grads, input, weight, running_mean, running_var, training, eps, needs, (result1, result2)
    ),
)
without_running = legit(
    "NativeBatchNormLegitBackward1",
    "eps input result1 result2 training weight",
    lambda grads, input, weight, result1, result2, training, eps, needs: batch_norm_slopes(
        grads, input, weight, None, None, training, eps, needs, (result1, result2)
    ),
)

for _operator in (native_batch_norm, with_running, without_running):
    _operator.derives_in_float = True


@composite(at="torch")
def _native_batch_norm_legit(input: Tensor, weight: Tensor | None, bias: Tensor | None, *rest: Any) -> Any:
    """Batch normalisation with its statistics: ``(…, running_mean, running_var, training, momentum, eps)`` or without the running ones."""
    if len(rest) == 3:
        return without_running(input, weight, bias, None, None, *rest)
    running_mean, running_var, training, momentum, eps = rest
    result = with_running(input, weight, bias, running_mean, running_var, training, momentum, eps)
    if training:
        update_running(input, running_mean, running_var, momentum)
    return result


@composite(at="functional")
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(N, C, …) normalised per channel: by the batch in training, by the running statistics else.

    Raises:
        ValueError: one value per channel in training, or no positive ``eps`` there.
        RuntimeError: sizes that do not fit the channels.
    """
    if training:
        check_more_than_one(input)
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    return normalise_batch(input, weight, bias, running_mean, running_var, training, momentum, eps)


def normalise_batch(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """``torch.batch_norm``.

    Raises:
        ValueError: one of the two running statistics.
        RuntimeError: tensors of another length than the channels, or no running statistics to evaluate by.
    """
    if (running_mean is None) is not (running_var is None) and training:
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if not input.numel():
        result = input.clone()
        result = result if weight is None else result * weight[0]
        return result if bias is None else result + bias[0]
    channels = input.shape[1] if input.ndim > 1 else 0
    for name, tensor in (
        ("running_mean", running_mean),
        ("running_var", running_var),
        ("weight", weight),
        ("bias", bias),
    ):
        if tensor is not None and tensor.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {tensor.numel()}")
    if not training and (running_mean is None or running_var is None):
        missing = "running_mean" if running_mean is None else "running_var"
        raise RuntimeError(f"{missing} must be defined in evaluation mode")
    if training and modes.batch_level:
        refuse_shared_statistics(input, (running_mean, running_var))
    result = native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]
    if training and (running_mean is not None or running_var is not None):
        update_running(input, running_mean, running_var, momentum)
    return result


@composite(at="torch", name="batch_norm")
def torch_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:
    """Batch normalisation with the arguments in ATen's order."""
    return normalise_batch(input, weight, bias, running_mean, running_var, training, momentum, eps)


def check_more_than_one(input: Tensor) -> None:
    """One value has no spread.

    Raises:
        ValueError: one value per channel.
    """
    if math.prod(input.shape[:1] + input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
