"""Convolutions of one, two and three dimensions, and transposed ones.

Three products belong together, each bilinear, and each the derivative of the others: input ⋆ weight (`correlate`),
gradient with respect to the input (`scatter`, which is also the transposed convolution), gradient with respect to the
weight. All three are one matrix product over unrolled windows (im2col; Chellapilla et al. 2006).
"""

from __future__ import annotations

import functools
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.late import Late
from engine.ops.core.declare import composite, operator
from engine.ops.core.memory_format import as_images
from engine.ops.neural.convolution_checks import check, check_transposed, same_padding
from engine.ops.neural.whole_sizes import whole_sizes
from engine.ops.neural.windows import Sizes, gathered_back, output_sizes, padded, windows
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.ops.neural import rounded_convolution as rounded
else:
    rounded = Late("engine.ops.neural.rounded_convolution")


class Form(NamedTuple):
    """What can be told of a convolution's argument without its numbers."""

    shape: Sizes
    dtype: np.dtype

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)


@functools.lru_cache(maxsize=256)
def fitting_sizes(
    input: Form, weight: Form, bias: Form | None, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Sizes:
    """The output's spatial sizes. Programs convolve the same forms again and again: those that fit are remembered.

    Raises:
        RuntimeError: the forms do not fit.
    """
    check(input, weight, bias, stride, padding, dilation, groups)
    return output_sizes(input.shape[2:], weight.shape[2:], stride, padding, dilation)


@functools.lru_cache(maxsize=256)
def fitting_sizes_transposed(
    input: Form,
    weight: Form,
    bias: Form | None,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    output_padding: Sizes,
    groups: int,
) -> Sizes:
    """The same of a transposed convolution.

    Raises:
        RuntimeError: the forms do not fit.
    """
    check_transposed(input, weight, bias, stride, padding, output_padding, dilation, groups)
    return tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + o + 1
        for n, s, p, d, k, o in zip(
            input.shape[2:], stride, padding, dilation, weight.shape[2:], output_padding, strict=True
        )
    )


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
    return scatter(grad_output, weight, tuple(shape), stride, padding, dilation, groups)


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
    return meet(grad_output, input, tuple(shape), stride, padding, dilation, groups)


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
    settings = tuple(stride), tuple(padding), tuple(dilation)
    if transposed:
        sizes = fitting_sizes_transposed(*forms, *settings, tuple(output_padding), groups)
        shape = (input.shape[0], weight.shape[1] * groups, *sizes)
        result = scatter(input, weight, shape, stride, padding, dilation, groups)
    else:
        out = fitting_sizes(*forms, *settings, groups)
        if rounded.takes_rounding((input, weight), input.shape, weight.shape, stride, dilation, groups, out):
            result, bias = rounded.convolved(input, weight, bias, stride, padding, out), None
        else:
            result = correlate(input, weight, stride, padding, dilation, groups, out)
    if bias is not None:
        result = result + bias.reshape(-1, *(1,) * (input.ndim - 2))
    result = np.ascontiguousarray(result).astype(input.dtype, copy=False)
    return as_images(result, (input, weight)) if input.ndim == 4 else result


def is_batched(dims: int, name: str, input: Tensor, weight: Tensor) -> bool:
    """Whether the input has a batch dimension.

    Raises:
        RuntimeError: it has neither the dimensions of a batch nor of one sample.
        TypeError: the weight is no tensor.
    """
    if not isinstance(weight, Tensor):
        raise TypeError(f"{name}() received an invalid combination of arguments")
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    return input.ndim == dims + 2


def conv_sizes(value: Any, dims: int, function: str, name: str, position: int) -> Sizes:
    """``3`` or ``[3]`` as ``(3, 3)``.

    Raises:
        RuntimeError: another number of values than dimensions.
        TypeError: no whole numbers.
    """
    if type(value) is int:
        return (value,) * dims
    values = whole_sizes(value, dims, function, name, position)
    if len(values) == 1:
        return values * dims
    if len(values) != dims:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {dims} values to match the convolution "
            f"dimensions, but got {name}={list(values)}"
        )
    return values


def refused(error: TypeError, name: str, args: tuple[Any, ...]) -> TypeError:
    """What PyTorch says of a convolution's arguments: it lists its signatures, one with ``padding`` as numbers, one as a word."""
    from engine.ops.core.argument_parser import complaint  # here, since importing torch should be quick

    told = complaint("torch", name, args, {})
    return TypeError(told) if told else error


def declare_forward(dims: int, spatial: str) -> None:
    """Declares ``conv1d``, ``conv2d`` or ``conv3d``; ``spatial`` names the dimensions (``H, W``)."""
    name = f"conv{dims}d"
    kernel, out = re.sub(r"\w", r"k\g<0>", spatial), re.sub(r"\w", r"\g<0>'", spatial)

    @composite(
        at="torch functional",
        name=name,
        explanation=f"Input (N, C, {spatial}), weight (O, C/groups, {kernel}) → (N, O, {out}).",
    )
    def convolve(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        if not is_batched(dims, name, input, weight):
            return convolve(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
        try:
            strides = conv_sizes(stride, dims, name, "stride", 4)
            dilations = conv_sizes(dilation, dims, name, "dilation", 6)
            paddings = padding if isinstance(padding, str) else conv_sizes(padding, dims, name, "padding", 5)
        except TypeError as error:
            raise refused(error, name, (input, weight, bias, stride, padding, dilation, groups)) from None
        if isinstance(paddings, str):
            input, paddings = same_padding(input, weight, strides, dilations, paddings)
        return convolution(input, weight, bias, strides, paddings, dilations, False, (0,) * dims, groups)


def declare_transposed(dims: int, spatial: str) -> None:
    """Declares ``conv_transpose1d``, ``conv_transpose2d`` or ``conv_transpose3d``."""
    name = f"conv_transpose{dims}d"
    kernel, out = re.sub(r"\w", r"k\g<0>", spatial), re.sub(r"\w", r"\g<0>'", spatial)

    @composite(
        at="torch functional",
        name=name,
        explanation=f"Input (N, C, {spatial}), weight (C, O/groups, {kernel}) → (N, O, {out}).",
    )
    def transpose(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Any:
        if not is_batched(dims, name, input, weight):
            sample = input.unsqueeze(0)
            return transpose(sample, weight, bias, stride, padding, output_padding, groups, dilation).squeeze(0)
        return convolution(
            input,
            weight,
            bias,
            conv_sizes(stride, dims, name, "stride", 4),
            conv_sizes(padding, dims, name, "padding", 5),
            conv_sizes(dilation, dims, name, "dilation", 8),
            True,
            conv_sizes(output_padding, dims, name, "output_padding", 6),
            groups,
        )


for dims, spatial in enumerate(("L", "H, W", "D, H, W"), 1):
    declare_forward(dims, spatial)
    declare_transposed(dims, spatial)
