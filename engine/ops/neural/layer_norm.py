"""Layer and group normalisation: statistics per sample."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.core.misuse import kind_of
from engine.ops.neural.standardising import channel_shape, check_dtypes, standardised_slope, statistics
from engine.tensor import Tensor


def layer_norm_slopes(
    grads: list[Any], input: Tensor, weight: Tensor | None, normalized_shape: Any, eps: float, needs: list[bool]
) -> list[Any]:
    """Gradients of input, weight and bias."""
    grad = grads[0]
    lead = input.ndim - len(normalized_shape)
    dims, outer = list(range(lead, input.ndim)), list(range(lead))
    mean = input.mean(dims, keepdim=True)
    centred = input - mean
    inverse_std = ((centred * centred).mean(dims, keepdim=True) + eps).rsqrt()
    normalised = centred * inverse_std
    scaled = grad if weight is None else grad * weight
    return [
        standardised_slope(scaled, input, mean, inverse_std, dims) if needs[0] else None,
        summed(grad * normalised, outer) if needs[1] else None,
        summed(grad, outer) if needs[2] else None,
    ]


def summed(tensor: Tensor, dims: list[int]) -> Tensor:
    """The sum over ``dims``; over none of them the tensor itself (PyTorch's ``sum([])`` sums everything)."""
    return tensor.sum(dims) if dims else tensor


def check_normalized_shape(shape: tuple[int, ...], weight: Any = None, bias: Any = None) -> None:
    """Raises RuntimeError: no dimension at all, or weight or bias of another shape."""
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tuple(tensor.shape) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(tensor.shape)} and normalized_shape = {list(shape)}"
            )


@operator(
    order="rows",
    at="torch",
    formula="(x − mean) / √(var + ε) · γ + β",
    outputs="result0 result1 result2",
    nondifferentiable=(1, 2),
    undefined_gradients=True,
    saves="bias input normalized_shape result1 result2 weight",
    differentiable="input weight bias",
    renamed={"eps": "_eps"},
    joint=lambda grads, input, weight, normalized_shape, _eps, needs: layer_norm_slopes(
        grads, input, weight, normalized_shape, _eps, needs
    ),
)
def native_layer_norm(input: Any, normalized_shape: Any, weight: Any, bias: Any, _eps: float) -> Any:
    """Gives each sample mean 0 and variance 1 over its features, then scales and shifts; a sample's gradients add up to
    zero, for all features share its mean.
    """
    shape = tuple(normalized_shape)
    check_normalized_shape(shape, weight, bias)
    if input.shape[input.ndim - len(shape) :] != shape or len(shape) > input.ndim:
        wanted = ", ".join(["*", *map(str, shape)])
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got input of "
            f"size{list(input.shape)}"
        )
    check_dtypes("LayerNormKernelImpl", input, (weight, bias))
    axes = tuple(range(input.ndim - len(shape), input.ndim))
    mean, var = statistics(input, axes)
    inverse_std = 1 / np.sqrt(var + _eps)
    result = (input - mean) * inverse_std
    result = result if weight is None else result * weight
    result = result if bias is None else result + bias
    return result.astype(input.dtype), mean.astype(input.dtype), inverse_std.astype(input.dtype)


@composite(at="torch functional")
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """Normalises over the last dimensions, those of ``normalized_shape``."""
    if not isinstance(normalized_shape, list | tuple):
        words = "layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints"
        raise TypeError(f"{words}, not {kind_of(normalized_shape)}")
    shape = tuple(normalized_shape)
    return native_layer_norm(input, shape, weight, bias, eps)[0]


def group_norm_slopes(
    grads: list[Any], input: Tensor, weight: Tensor | None, group: int, eps: float, needs: list[bool]
) -> list[Any]:
    """Gradients of input, weight and bias. As in PyTorch, mean and deviation hand back theirs only if both have one."""
    grad, grad_mean, grad_inverse = grads
    batch = input.shape[0]
    shape = channel_shape(input.ndim)
    size = input.numel() // max(batch * group, 1)
    seen = input.reshape(batch, group, size)
    mean = seen.mean([2], keepdim=True)
    centred = seen - mean
    inverse_std = ((centred * centred).mean([2], keepdim=True) + eps).rsqrt()
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
    at="torch",
    formula="(x − mean) / √(var + ε) · γ + β",
    outputs="result0 result1 result2",
    undefined_gradients=True,
    saves="C HxW N eps group input result1 result2 weight",
    differentiable="input weight bias",
    joint=lambda grads, input, weight, group, eps, needs: group_norm_slopes(grads, input, weight, group, eps, needs),
)
def native_group_norm(input: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float) -> Any:
    """Gives each group of channels mean 0 and variance 1 within its sample, then scales and shifts each channel; a
    group's gradients add up to zero, for all of it share its mean.
    """
    check_dtypes("GroupNormKernelImpl", input, (weight, bias))
    seen = input.reshape(N, group, C // group * HxW)
    mean, var = statistics(seen, (2,))
    inverse_std = 1 / np.sqrt(var + eps)
    result = ((seen - mean) * inverse_std).reshape(input.shape)
    shape = channel_shape(input.ndim)
    result = result if weight is None else result * weight.reshape(shape)
    result = result if bias is None else result + bias.reshape(shape)
    dtype = input.dtype
    return result.astype(dtype), mean[..., 0].astype(dtype), inverse_std[..., 0].astype(dtype)


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
    return native_group_norm(
        input.contiguous(), weight, bias, batch, channels, math.prod(input.shape[2:]), num_groups, eps
    )[0]
