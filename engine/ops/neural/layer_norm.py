"""Layer normalisation: statistics per sample, over its last dimensions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.late import Late
from engine.ops.core.declare import composite, operator
from engine.ops.core.misuse import kind_of
from engine.ops.neural.standardising import check_dtypes, standardised_slope, statistics
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
