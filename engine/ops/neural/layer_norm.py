"""Layer and group normalisation: statistics per sample."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from engine import placement
from engine.autograd.modes import state as modes
from engine.late import Late
from engine.ops.core.declare import composite, operator
from engine.ops.core.memory_format import suggested_format
from engine.ops.core.misuse import kind_of
from engine.ops.neural.standardising import channel_shape, check_dtypes, standardised_slope, statistics
from engine.ops.pointwise.precision import is_half
from engine.tensor import Tensor, wrap

if TYPE_CHECKING:
    from engine.ops.neural import rounded_norms as rounded
else:
    rounded = Late("engine.ops.neural.rounded_norms")


def layer_norm_slopes(
    grads: list[Any],
    input: Tensor,
    weight: Tensor | None,
    normalized_shape: Any,
    eps: float,
    needs: list[bool],
    kept: tuple[Tensor, Tensor] | None = None,
) -> list[Any]:
    """Gradients of input, weight and bias; ``kept`` are mean and 1/std as the forward pass rounded them."""
    grad = grads[0]
    if kept is not None and is_half(input._array):
        return slopes_of_halves(grad, input, weight, normalized_shape, eps, needs, kept)
    size = math.prod(normalized_shape)
    if kept is not None and not modes.grad_enabled and follows_kernel(input, grad, weight, (-1, size)):
        incoming, rows = (each._array.reshape(-1, size) for each in (grad, input))
        factors = None if weight is None else weight._array.reshape(-1)
        mean, inverse_std = (each._array.reshape(-1) for each in kept)
        slopes = rounded.layer_norm_slopes_rounded(incoming, rows, factors, mean, inverse_std, needs)
        shapes = input._array.shape, tuple(normalized_shape), tuple(normalized_shape)
        return [None if a is None else wrap(a.reshape(shape)) for a, shape in zip(slopes, shapes, strict=True)]
    lead = input.ndim - len(normalized_shape)
    dims, outer = list(range(lead, input.ndim)), list(range(lead))
    if kept is None:
        mean = input.mean(dims, keepdim=True)
        centred = input - mean
        inverse_std = ((centred * centred).mean(dims, keepdim=True) + eps).rsqrt()
    else:
        mean, inverse_std = kept
        centred = input - mean
    normalised = centred * inverse_std
    scaled = grad if weight is None else grad * weight
    return [
        standardised_slope(scaled, input, mean, inverse_std, dims) if needs[0] else None,
        summed(grad * normalised, outer) if needs[1] else None,
        summed(grad, outer) if needs[2] else None,
    ]


def follows_kernel(input: Tensor, grad: Tensor, weight: Tensor | None, shape: tuple[int, ...]) -> bool:
    """Whether all are float32, and the input, in rows of this shape, is small enough to round as the kernel does."""
    same = all(each is None or each._array.dtype == np.float32 for each in (grad, weight))
    return same and rounded.takes_rounding(input._array.reshape(shape))


def slopes_of_halves(
    grad: Tensor, input: Tensor, weight: Tensor | None, shape: Any, eps: float, needs: list[bool], kept: Any
) -> list[Any]:
    """As `layer_norm_slopes`: the input's in float32, rounded once; weight and bias add up row by row, each sum a half."""
    wide: list[Any] = [x if x is None else wrap(x._array.astype(np.float32)) for x in (grad, input, weight, *kept)]
    answer = layer_norm_slopes([wide[0]], wide[1], wide[2], shape, eps, [needs[0], False, False], (wide[3], wide[4]))
    rows: list[Any] = [x._array.reshape(-1, math.prod(shape)) for x in wide[:2]]
    mean, inverse_std = (x._array.reshape(-1, 1) for x in wide[3:])
    parts = rows[0] * (inverse_std * rows[1] - inverse_std * mean), rows[0]
    for part, needed in zip(parts, needs[1:], strict=True):
        total = np.zeros(part.shape[1:], input._array.dtype)
        for row in part if needed else ():
            total = (total.astype(np.float32) + row).astype(total.dtype)
        answer.append(wrap(total.reshape(shape)) if needed else None)
    if needs[0]:
        answer[0] = wrap(answer[0]._array.astype(input._array.dtype))
    return [answer[0], *answer[3:]]


def summed(tensor: Tensor, dims: list[int]) -> Tensor:
    """The sum over ``dims``; over none of them the tensor itself (PyTorch's ``sum([])`` sums everything)."""
    return tensor.sum(dims) if dims else tensor


def statistics_dtype(input: Any, weight: Any, bias: Any) -> Any:
    """Mean and 1/std of halves are kept in the dtype of weight and bias, which may be float32."""
    return next((each for each in (weight, bias) if each is not None), input).dtype


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
    joint=lambda grads, input, weight, normalized_shape, result1, result2, _eps, needs: layer_norm_slopes(
        grads, input, weight, normalized_shape, _eps, needs, (result1, result2)
    ),
)
def native_layer_norm(input: Any, normalized_shape: Any, weight: Any, bias: Any, _eps: float) -> Any:
    """Gives each sample mean 0 and variance 1 over its features, then scales and shifts; a sample's gradients add up to
    zero, for all features share its mean.

    Raises:
        RuntimeError: an input that does not end in the normalised shape.
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
    size = math.prod(shape)
    if size and rounded.takes_rounding(input.reshape(-1, size)):
        factors, shifts = (None if a is None else a.reshape(-1) for a in (weight, bias))
        result, mean, inverse_std = rounded.layer_norm_rounded(input.reshape(-1, size), factors, shifts, _eps)
        kept = input.shape[: input.ndim - len(shape)] + (1,) * len(shape)
        return result.reshape(input.shape), mean.reshape(kept), inverse_std.reshape(kept)
    axes = tuple(range(input.ndim - len(shape), input.ndim))
    mean, var = statistics(input, axes)
    inverse_std = 1 / np.sqrt(var + _eps)
    result = (input - mean) * inverse_std
    result = result if weight is None else result * weight
    result = result if bias is None else result + bias
    dtype = statistics_dtype(input, weight, bias)
    return result.astype(input.dtype), mean.astype(dtype), inverse_std.astype(dtype)


@composite(at="torch functional")
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """Normalises over the last dimensions, those of ``normalized_shape``.

    Raises:
        TypeError: a shape that is no tuple.
    """
    if not isinstance(normalized_shape, list | tuple):
        words = "layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints"
        raise TypeError(f"{words}, not {kind_of(normalized_shape)}")
    shape = tuple(normalized_shape)
    return native_layer_norm(input, shape, weight, bias, eps)[0]


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
