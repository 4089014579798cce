"""Batch normalisation: statistics per channel, over the batch or kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.observe import state as observing
from engine.ops.core.batching import refuse_shared_statistics
from engine.ops.core.declare import composite, operator
from engine.ops.core.operator import Operator
from engine.ops.neural.channel_moments import centre_and_squares, moments, per_channel
from engine.ops.neural.standardising import channel_shape, check_dtypes
from engine.ops.pointwise.precision import fused, is_half
from engine.storage import materialise
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


def update_running(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: float) -> None:
    """Moves the running statistics towards this batch's (the variance unbiased). As in PyTorch, versions stay."""
    if input.is_meta:
        return
    mean, squares = (each.reshape(-1) for each in centre_and_squares(input._array))
    spare = per_channel(input._array) - 1
    if input._array.dtype == np.float32:
        squares = squares.astype(np.float32)
    for running, value in ((running_mean, mean), (running_var, squares / spare if spare else squares * np.nan)):
        if running is not None:
            held = materialise(running)
            held[...] = moved_towards(held, value, momentum, fusing=running is running_var)
            if observing.listener is not None:
                observing.listener.written(running, "batch_norm", running._version, running._version, None)


def moved_towards(held: Any, value: Any, momentum: float, fusing: bool) -> Any:
    """``momentum · value + (1 − momentum) · held``; in float32 all of it, and for the variance fused, as PyTorch's kernel is."""
    if held.dtype != np.float32:
        return (momentum * value + (1 - momentum) * held).astype(held.dtype)
    share = np.float32(momentum)
    kept = (1 - share) * held
    value = value.astype(np.float32)
    return fused(share, value, kept) if fusing else share * value + kept


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
