"""Group normalisation: statistics per sample and group of channels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from engine import placement
from engine.autograd.modes import state as modes
from engine.late import Late
from engine.ops.core.declare import composite, operator
from engine.ops.core.memory_format import suggested_format
from engine.ops.neural.layer_norm import follows_kernel, statistics_dtype
from engine.ops.neural.standardising import channel_shape, check_dtypes, standardised_slope, statistics
from engine.tensor import Tensor, wrap

if TYPE_CHECKING:
    from engine.ops.neural import rounded_norms as rounded
else:
    rounded = Late("engine.ops.neural.rounded_norms")


def group_norm_slopes_as_kernel(
    grad: Tensor, input: Tensor, weight: Tensor | None, group: int, needs: list[bool], kept: tuple[Tensor, Tensor]
) -> list[Any]:
    """`group_norm_slopes` of nothing but the result's gradient, rounded as PyTorch's kernel rounds."""
    channels = input.shape[0] * group, input.shape[1] // group, -1
    incoming, rows = (each._array.reshape(channels) for each in (grad, input))
    factors = None if weight is None else weight._array
    mean, inverse_std = (each._array.reshape(-1) for each in kept)
    slopes = rounded.group_norm_slopes_rounded(incoming, rows, factors, mean, inverse_std, group, needs)
    shapes = input._array.shape, (-1,), (-1,)
    return [None if a is None else wrap(a.reshape(shape)) for a, shape in zip(slopes, shapes, strict=True)]


def group_norm_slopes(
    grads: list[Any],
    input: Tensor,
    weight: Tensor | None,
    group: int,
    eps: float,
    needs: list[bool],
    kept: tuple[Tensor, Tensor] | None = None,
) -> list[Any]:
    """Gradients of input, weight and bias. As in PyTorch, mean and deviation hand back theirs only if both have one.

    ``kept`` are mean and 1/std as the forward pass rounded them.
    """
    grad, grad_mean, grad_inverse = grads
    batch = input.shape[0]
    only = grad is not None and (grad_mean is None or grad_inverse is None) and not modes.grad_enabled
    if only and kept is not None and input.numel() and follows_kernel(input, grad, weight, (batch * group, -1)):
        return group_norm_slopes_as_kernel(grad, input, weight, group, needs, kept)
    shape = channel_shape(input.ndim)
    size = input.numel() // max(batch * group, 1)
    seen = input.reshape(batch, group, size)
    if kept is None:
        mean = seen.mean([2], keepdim=True)
        centred = seen - mean
        inverse_std = ((centred * centred).mean([2], keepdim=True) + eps).rsqrt()
    else:
        mean, inverse_std = (each.reshape(batch, group, 1) for each in kept)
        centred = seen - mean
    for_input: Any = None
    if grad is not None:
        scaled = (grad if weight is None else grad * weight.view(shape)).reshape(batch, group, size)
        normalised = centred * inverse_std
        for_input = standardised_slope(scaled, seen, mean, inverse_std, [2])
    if grad_mean is not None and grad_inverse is not None:
        through = (grad_mean.unsqueeze(2) - grad_inverse.unsqueeze(2) * inverse_std.pow(3) * centred) / size
        for_input = through if for_input is None else for_input + through
    if grad is None:
        return [None if for_input is None else for_input.reshape(input.shape), None, None]
    dims = [0, *range(2, input.ndim)]
    return [
        for_input.reshape(input.shape) if needs[0] else None,
        (grad * normalised.reshape(input.shape)).sum(dims) if needs[1] else None,
        grad.sum(dims) if needs[2] else None,
    ]


@operator(
    order="images",
    at="torch",
    formula="(x − mean) / √(var + ε) · γ + β",
    outputs="result0 result1 result2",
    undefined_gradients=True,
    saves="C HxW N eps group input result1 result2 weight",
    differentiable="input weight bias",
    joint=lambda grads, input, weight, result1, result2, group, eps, needs: group_norm_slopes(
        grads, input, weight, group, eps, needs, (result1, result2)
    ),
)
def native_group_norm(input: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float) -> Any:
    """Gives each group of channels mean 0 and variance 1 within its sample, then scales and shifts each channel; a
    group's gradients add up to zero, for all of it share its mean.
    """
    check_dtypes("GroupNormKernelImpl", input, (weight, bias))
    if input.size and rounded.takes_rounding(input.reshape(N * group, -1)):
        rows = input.reshape(N * group, C // group, HxW)
        result, mean, inverse_std = rounded.group_norm_rounded(rows, weight, bias, eps)
        return result.reshape(input.shape), mean.reshape(N, group), inverse_std.reshape(N, group)
    seen = input.reshape(N, group, C // group * HxW)
    mean, var = statistics(seen, (2,))
    inverse_std = 1 / np.sqrt(var + eps)
    result = ((seen - mean) * inverse_std).reshape(input.shape)
    shape = channel_shape(input.ndim)
    result = result if weight is None else result * weight.reshape(shape)
    result = result if bias is None else result + bias.reshape(shape)
    dtype = statistics_dtype(input, weight, bias)
    return result.astype(input.dtype), mean[..., 0].astype(dtype), inverse_std[..., 0].astype(dtype)


native_group_norm.derives_in_float = True


@composite(at="torch functional")
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """(N, C, …) normalised over groups of channels.

    Raises:
        RuntimeError: the groups do not divide the channels.
        ValueError: one value per group.
    """
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    batch, channels = input.shape[:2]
    if batch * channels // num_groups * math.prod(input.shape[2:]) == 1:
        raise ValueError(
            "Expected more than 1 value per channel when training, got input size "
            f"{[batch * channels // num_groups, num_groups, *input.shape[2:]]}"
        )
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={num_groups}"
        )
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tuple(tensor.shape) != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(tensor.shape)} and input of shape {list(input.shape)}"
            )
    in_order = input.contiguous(memory_format=getattr(placement, suggested_format(input._array)))
    return native_group_norm(in_order, weight, bias, batch, channels, math.prod(input.shape[2:]), num_groups, eps)[0]
