"""Normalisation: batch, instance, layer, group, root mean square.

Each subtracts a mean, divides by a standard deviation, scales and shifts. They differ in which elements share the statistics. Every
element therefore reaches every output of its group twice: directly and through the statistics, which is what the gradients say.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.arithmetic import add_number
from engine.ops.declare import composite, operator
from engine.ops.neural.reduction import torch_function
from engine.tensor import Tensor, materialise


def statistics(x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Mean and biased variance over ``axes`` (kept), computed in float64."""
    wide = x.astype(np.float64)
    mean = wide.mean(axes, keepdims=True)
    return mean, np.square(wide - mean).mean(axes, keepdims=True)


def standardised_slope(grad: Tensor, normalised: Tensor, inverse_std: Tensor, dims: list[int]) -> Tensor:
    """The gradient through (x − mean) / std: what is left of ``grad`` after its mean and its part along ``normalised``."""
    along = (grad * normalised).mean(dims, keepdim=True)
    return (grad - grad.mean(dims, keepdim=True) - normalised * along) * inverse_std


# ── batch ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def channel_shape(ndim: int) -> tuple[int, ...]:
    """The shape in which one number per channel meets (N, C, …)."""
    return (1, -1, *(1,) * (ndim - 2))


def batch_norm_slopes(
    grads: list[Any],
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    eps: float,
    needs: list[bool],
) -> list[Any]:
    """Gradients of input, weight and bias."""
    grad = grads[0]
    dims = [d for d in range(input.ndim) if d != 1]
    shape = channel_shape(input.ndim)
    if training:
        mean = input.mean(dims, keepdim=True)
        centred = input - mean
        inverse_std = ((centred * centred).mean(dims, keepdim=True) + eps).rsqrt()
    else:
        assert running_mean is not None
        assert running_var is not None
        centred = input - running_mean.view(shape)
        inverse_std = (running_var.view(shape) + eps).rsqrt()
    normalised = centred * inverse_std
    scaled = grad if weight is None else grad * weight.view(shape)
    slope = standardised_slope(scaled, normalised, inverse_std, dims) if training else scaled * inverse_std
    return [
        slope if needs[0] else None,
        (grad * normalised).sum(dims) if needs[1] else None,
        grad.sum(dims) if needs[2] else None,
    ]


@operator(
    at="torch",
    formula="(x − mean) / √(var + ε) · γ + β",
    outputs="result0 result1 result2",
    nondifferentiable=(1, 2),
    undefined_gradients=True,
    saves="eps input result1 result2 running_mean running_var training weight",
    differentiable="input weight bias",
    joint=lambda grads, input, weight, running_mean, running_var, training, eps, needs: batch_norm_slopes(
        grads, input, weight, running_mean, running_var, training, eps, needs
    ),
)
def native_batch_norm(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, momentum: float, eps: float
) -> Any:
    """Gives each channel mean 0 and variance 1 over the batch, then scales and shifts it; all samples share the statistics, so a sample's gradient depends on its neighbours."""  # noqa: E501
    shape = channel_shape(input.ndim)
    if training:
        axes = tuple(d for d in range(input.ndim) if d != 1)
        mean, var = statistics(input, axes)
    else:
        mean, var = running_mean.astype(np.float64).reshape(shape), running_var.astype(np.float64).reshape(shape)
    inverse_std = 1 / np.sqrt(var + eps)
    factor = inverse_std if weight is None else inverse_std * weight.reshape(shape)
    result = (input - mean) * factor
    if bias is not None:
        result = result + bias.reshape(shape)
    dtype = (weight if weight is not None and weight.dtype.itemsize > input.dtype.itemsize else input).dtype
    if training:
        kept = mean.reshape(-1).astype(dtype), inverse_std.reshape(-1).astype(dtype)
    else:
        kept = np.empty(0, dtype), np.empty(0, dtype)
    return (result.astype(input.dtype), *kept)


def update_running(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: float) -> None:
    """Moves the running statistics towards this batch's (the variance unbiased). As in PyTorch, versions stay."""
    axes = tuple(d for d in range(input.ndim) if d != 1)
    mean, var = statistics(input._array, axes)
    count = input.numel() // input.shape[1]
    for running, value in ((running_mean, mean), (running_var, var * (count / (count - 1)) if count > 1 else var * np.nan)):
        if running is not None:
            held = materialise(running)
            held[...] = (momentum * value.reshape(-1) + (1 - momentum) * held).astype(held.dtype)


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
        ValueError: one value per channel in training.
        RuntimeError: sizes that do not fit the channels.
    """
    if training:
        check_more_than_one(input)
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
    """``torch.batch_norm``."""
    if not input.numel():
        result = input.clone()
        result = result if weight is None else result * weight[0]
        return result if bias is None else result + bias[0]
    channels = input.shape[1] if input.ndim > 1 else 0
    for name, tensor in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)):
        if tensor is not None and tensor.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {tensor.numel()}")
    if not training and (running_mean is None or running_var is None):
        missing = "running_mean" if running_mean is None else "running_var"
        raise RuntimeError(f"{missing} must be defined in evaluation mode")
    result = native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]
    if training and (running_mean is not None or running_var is not None) and input.numel():
        update_running(input, running_mean, running_var, momentum)
    return result  # type: ignore[no-any-return]


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


@composite(at="functional")
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(N, C, …) normalised per channel and sample: batch norm of one batch with N · C channels.

    Raises:
        ValueError: one spatial element.
    """
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    batch, channels = input.shape[:2]

    def repeated(tensor: Tensor | None) -> Tensor | None:
        return None if tensor is None else tensor.repeat(batch)

    means, variances = repeated(running_mean), repeated(running_var)
    seen = input.contiguous().view(1, batch * channels, *input.shape[2:])
    result = normalise_batch(seen, repeated(weight), repeated(bias), means, variances, use_input_stats, momentum, eps)
    if use_input_stats:
        for running, values in ((running_mean, means), (running_var, variances)):
            if running is not None and values is not None:
                materialise(running)[...] = values._array.reshape(batch, channels).mean(0)
    return result.view(input.shape)  # type: ignore[no-any-return]


@composite(at="torch", name="instance_norm")
def torch_instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:
    """Instance normalisation with the arguments in ATen's order."""
    return instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


# ── layer ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def layer_norm_slopes(
    grads: list[Any], input: Tensor, weight: Tensor | None, normalized_shape: Any, eps: float, needs: list[bool]
) -> list[Any]:
    """Gradients of input, weight and bias."""
    grad = grads[0]
    lead = input.ndim - len(normalized_shape)
    dims, outer = list(range(lead, input.ndim)), list(range(lead))
    centred = input - input.mean(dims, keepdim=True)
    inverse_std = ((centred * centred).mean(dims, keepdim=True) + eps).rsqrt()
    normalised = centred * inverse_std
    scaled = grad if weight is None else grad * weight
    return [
        standardised_slope(scaled, normalised, inverse_std, dims) if needs[0] else None,
        summed(grad * normalised, outer) if needs[1] else None,
        summed(grad, outer) if needs[2] else None,
    ]


def summed(tensor: Tensor, dims: list[int]) -> Tensor:
    """The sum over ``dims``; over none of them the tensor itself (PyTorch's ``sum([])`` sums everything)."""
    return tensor.sum(dims) if dims else tensor


@operator(
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
    """Gives each sample mean 0 and variance 1 over its features, then scales and shifts; a feature's gradient is what is left after the mean pull and the pull on the spread are taken out."""  # noqa: E501
    shape = tuple(normalized_shape)
    if input.shape[input.ndim - len(shape) :] != shape or len(shape) > input.ndim:
        wanted = ", ".join(["*", *map(str, shape)])
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got input of size{list(input.shape)}")
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
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []")
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tuple(tensor.shape) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(tensor.shape)} and "
                f"normalized_shape = {list(shape)}"
            )
    return native_layer_norm(input, shape, weight, bias, eps)[0]  # type: ignore[no-any-return]


# ── group ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def group_norm_slopes(
    grads: list[Any], input: Tensor, weight: Tensor | None, group: int, eps: float, needs: list[bool]
) -> list[Any]:
    """Gradients of input, weight and bias."""
    grad = grads[0]
    batch, channels = input.shape[:2]
    dims = [0, *range(2, input.ndim)]
    shape = channel_shape(input.ndim)
    grouped = (batch, group, input.numel() // max(batch * group, 1))
    scaled = (grad if weight is None else grad * weight.view(shape)).reshape(grouped)
    seen = input.reshape(grouped)
    centred = seen - seen.mean([2], keepdim=True)
    inverse_std = ((centred * centred).mean([2], keepdim=True) + eps).rsqrt()
    normalised = centred * inverse_std
    return [
        standardised_slope(scaled, normalised, inverse_std, [2]).reshape(input.shape) if needs[0] else None,
        (grad * normalised.reshape(input.shape)).sum(dims) if needs[1] else None,
        grad.sum(dims) if needs[2] else None,
    ]


@operator(
    at="torch",
    formula="(x − mean) / √(var + ε) · γ + β",
    outputs="result0 result1 result2",
    nondifferentiable=(1, 2),
    undefined_gradients=True,
    saves="C HxW N eps group input result1 result2 weight",
    differentiable="input weight bias",
    joint=lambda grads, input, weight, group, eps, needs: group_norm_slopes(grads, input, weight, group, eps, needs),
)
def native_group_norm(input: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float) -> Any:
    """Gives each group of channels mean 0 and variance 1 within its sample, then scales and shifts each channel."""
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
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5, cudnn_enabled: bool = True
) -> Tensor:
    """(N, C, …) normalised over groups of channels.

    Raises:
        RuntimeError: the groups do not divide the channels.
        ValueError: one value per group.
    """
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    batch, channels = input.shape[:2]
    if channels % num_groups:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {list(input.shape)} and "
            f"num_groups={num_groups}"
        )
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tuple(tensor.shape) != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape "
                f"{list(tensor.shape)} and input of shape {list(input.shape)}"
            )
    if batch * channels // num_groups * math.prod(input.shape[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {[batch * channels // num_groups, num_groups, *input.shape[2:]]}"
        )
    return native_group_norm(input.contiguous(), weight, bias, batch, channels, math.prod(input.shape[2:]), num_groups, eps)[0]  # type: ignore[no-any-return]


# ── others, composed ─────────────────────────────────────────────────────────────────────────────────────────────────


@composite(at="torch functional")
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Divides by the root mean square over the last dimensions (Zhang & Sennrich 2019)."""
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []")
    if tuple(input.shape[input.ndim - len(shape) :]) != shape or len(shape) > input.ndim:
        wanted = ", ".join(["*", *map(str, shape)])
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got input of size{list(input.shape)}")
    if weight is not None and tuple(weight.shape) != shape:
        raise RuntimeError(
            f"Expected weight to be of same shape as normalized_shape, but got weight of shape {list(weight.shape)} and "
            f"normalized_shape = {list(shape)}"
        )
    dims = [input.ndim - d - 1 for d in range(len(shape))]
    if eps is None:
        eps = {dtypes.float64: float(np.finfo(np.float64).eps)}.get(input.dtype, float(np.finfo(np.float32).eps))
    wide = input.to(dtypes.float32) if input.dtype in (dtypes.float16, dtypes.bfloat16) else input
    result = wide * add_number(wide.pow(2).mean(dims, keepdim=True), eps).rsqrt()
    result = result if weight is None else result * weight
    return result.type_as(input) if result.dtype is not input.dtype else result  # type: ignore[no-any-return]


@composite(at="functional")
def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Divides each channel by the energy of its neighbouring channels (Krizhevsky et al. 2012)."""
    dim = input.ndim
    if dim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {dim} dimensions)")
    if input.numel() == 0:
        return input
    from engine.ops.neural.average_pooling import avg_pool2d, avg_pool3d
    from engine.ops.neural.padding import pad

    energy = input.mul(input)
    if dim == 3:
        energy = pad(energy.unsqueeze(1), (0, 0, size // 2, (size - 1) // 2))
        energy = avg_pool2d(energy, (size, 1), stride=1).squeeze(1)
    else:
        sizes = input.shape
        energy = energy.view(sizes[0], 1, sizes[1], sizes[2], -1)
        energy = pad(energy, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        energy = avg_pool3d(energy, (size, 1, 1), stride=1).squeeze(1)
        energy = energy.view(sizes)
    return input / energy.mul(alpha).add(k).pow(beta)


@composite(at="functional")
def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Divides by the p-norm along ``dim`` (by ``eps`` at least)."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return torch_function("div")(input, length) if out is None else torch_function("div")(input, length, out=out)  # type: ignore[no-any-return]
