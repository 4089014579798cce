"""Convolutions of one, two and three dimensions, and transposed ones.

Three products belong together, each bilinear, and each the derivative of the others: input ⋆ weight (`correlate`),
gradient with respect to the input (`scatter`, which is also the transposed convolution), gradient with respect to the
weight. All three are one matrix product over unrolled windows (im2col; Chellapilla et al. 2006).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.late import Late
from engine.ops.core.declare import operator
from engine.ops.core.memory_format import as_images
from engine.ops.neural.convolution_checks import Form, fitting_sizes, fitting_sizes_transposed
from engine.ops.neural.windows import Sizes, gathered_back, padded, tuples, windows
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.ops.neural import rounded_convolution as rounded
else:
    rounded = Late("engine.ops.neural.rounded_convolution")


def unrolled(input: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, out: Sizes) -> Any:
    """Windows as columns (N, groups, C/groups · K, L)."""
    batch, channels = input.shape[:2]
    places = math.prod(kernel)
    if places == 1 and max(stride) == 1 and not any(padding):
        return input.reshape(batch, groups, channels // groups, math.prod(out))
    seen = windows(padded(input, padding), kernel, stride, dilation, out)
    return seen.reshape(batch, groups, channels // groups * places, math.prod(out))


def correlate(input: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, out: Sizes) -> Any:
    """Input (N, C, …) and weight (O, C/groups, …) to (N, O, …)."""
    columns = unrolled(input, weight.shape[2:], stride, padding, dilation, groups, out)
    filters = weight.reshape(groups, weight.shape[0] // groups, columns.shape[2])
    return np.matmul(filters, columns).reshape(input.shape[0], weight.shape[0], *out)


def scatter(
    gradient: Any, weight: Any, shape: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """Gradient (N, O, …) spread through the weight over an input of ``shape``."""
    kernel, out = weight.shape[2:], gradient.shape[2:]
    arrays = gradient, weight
    if max(stride) == 1 and rounded.takes_rounding(arrays, shape, weight.shape, stride, dilation, groups, out):
        return rounded.scattered(gradient, weight, shape, stride, padding)
    filters = weight.reshape(groups, weight.shape[0] // groups, weight.shape[1] * math.prod(kernel))
    rows = np.ascontiguousarray(gradient).reshape(gradient.shape[0], groups, weight.shape[0] // groups, math.prod(out))
    columns = np.matmul(filters.swapaxes(1, 2), rows)
    return gathered_back(columns.reshape(*shape[:2], *kernel, *out), shape, kernel, stride, padding, dilation)


def meet(gradient: Any, input: Any, shape: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Any:
    """Gradient (N, O, …) times the input under it: the gradient of a weight of ``shape``."""
    kernel, out = shape[2:], gradient.shape[2:]
    if not gradient.size or not input.size:
        return np.zeros(shape, gradient.dtype)
    arrays, steps = (gradient, input), gradient.shape[0] * math.prod(out)
    one_by_one = (
        math.prod(kernel) > 1 and steps <= rounded.MANY_STEPS
    )  # filters of one place have a kernel of their own
    if one_by_one and rounded.takes_rounding(arrays, input.shape, shape, stride, dilation, groups, out):
        return rounded.met(gradient, input, shape, stride, padding)
    seen = windows(padded(input, padding), kernel, stride, dilation, out)
    columns = seen.reshape(input.shape[0], groups, shape[1] * math.prod(kernel), math.prod(out))
    rows = np.ascontiguousarray(gradient).reshape(gradient.shape[0], groups, shape[0] // groups, math.prod(out))
    return np.matmul(rows, columns.swapaxes(2, 3)).sum(0).reshape(shape)


@operator(
    at="internal",
    grad_fn="ConvolutionBackwardBackward0",
    holomorphic=True,
    grad_output=lambda grad, weight, stride, padding, dilation, groups: convolution(
        grad, weight, None, stride, padding, dilation, False, (0,) * len(stride), groups
    ),
    weight=lambda grad, grad_output, weight_shape, stride, padding, dilation, groups: convolution_weight_gradient(
        grad_output, grad, tuple(weight_shape), stride, padding, dilation, groups
    ),
)
def convolution_input_gradient(
    grad_output: Any, weight: Any, shape: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """What ``convolution`` sends to its input, alone."""
    shape, stride, padding, dilation = tuples(shape, stride, padding, dilation)
    return scatter(grad_output, weight, shape, stride, padding, dilation, groups)


@operator(
    at="internal",
    grad_fn="ConvolutionBackwardBackward0",
    holomorphic=True,
    grad_output=lambda grad, input, stride, padding, dilation, groups: convolution(
        input, grad, None, stride, padding, dilation, False, (0,) * len(stride), groups
    ),
    input=lambda grad, grad_output, input_shape, stride, padding, dilation, groups: convolution_input_gradient(
        grad_output, grad, tuple(input_shape), stride, padding, dilation, groups
    ),
)
def convolution_weight_gradient(
    grad_output: Any, input: Any, shape: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """What ``convolution`` sends to its weight, alone."""
    shape, stride, padding, dilation = tuples(shape, stride, padding, dilation)
    return meet(grad_output, input, shape, stride, padding, dilation, groups)


def input_slope(
    grad: Tensor,
    input_shape: Any,
    weight: Tensor,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    groups: int,
) -> Tensor:
    """The gradient with respect to the input, for both kinds."""
    if transposed:
        slope = convolution(grad, weight, None, stride, padding, dilation, False, (0,) * len(stride), groups)
        for dim, size in enumerate(input_shape[2:], 2):  # output padding may leave room for one window more
            slope = slope if slope.shape[dim] == size else slope.narrow(dim, 0, size)
        return slope
    return convolution_input_gradient(grad, weight, tuple(input_shape), stride, padding, dilation, groups)


def weight_slope(
    grad: Tensor,
    input: Tensor,
    weight_shape: Any,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    groups: int,
) -> Tensor:
    """The gradient with respect to the weight, for both kinds."""
    over, under = (input, grad) if transposed else (grad, input)
    return convolution_weight_gradient(over, under, tuple(weight_shape), stride, padding, dilation, groups)


@operator(
    at="torch",
    formula="Σₖ x[i·stride + k] · w[k] + b",
    holomorphic=True,
    saves="bias_sym_sizes_opt dilation groups input output_padding padding stride transposed weight",
    input=lambda grad, input_shape, weight, stride, padding, dilation, transposed, groups: input_slope(
        grad, input_shape, weight, stride, padding, dilation, transposed, groups
    ),
    weight=lambda grad, input, weight_shape, stride, padding, dilation, transposed, groups: weight_slope(
        grad, input, weight_shape, stride, padding, dilation, transposed, groups
    ),
    bias=lambda grad: grad.sum([0, *range(2, grad.ndim)]),
)
def convolution(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    """Slides small filters over the input; a filter's gradient adds up over all the places it looked at."""
    forms = [None if each is None else Form(each.shape, each.dtype) for each in (input, weight, bias)]
    stride, padding, dilation, output_padding = settings = tuples(stride, padding, dilation, output_padding)
    if transposed:
        sizes = fitting_sizes_transposed(*forms, *settings, groups)
        shape = (input.shape[0], weight.shape[1] * groups, *sizes)
        result = scatter(input, weight, shape, stride, padding, dilation, groups)
    else:
        out = fitting_sizes(*forms, *settings[:3], groups)
        if rounded.takes_rounding((input, weight), input.shape, weight.shape, stride, dilation, groups, out):
            result, bias = rounded.convolved(input, weight, bias, stride, padding, out), None
        else:
            result = correlate(input, weight, stride, padding, dilation, groups, out)
    if bias is not None:
        result = result + bias.reshape(-1, *(1,) * (input.ndim - 2))
    result = np.ascontiguousarray(result).astype(input.dtype, copy=False)
    return as_images(result, (input, weight)) if input.ndim == 4 else result
