"""``conv1d`` … ``conv_transpose3d``: what people call, with numbers where a convolution wants one for every dimension."""

from __future__ import annotations

import re
import warnings
from typing import Any

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite
from engine.ops.neural.convolution import convolution
from engine.ops.neural.whole_sizes import whole_sizes
from engine.ops.neural.windows import Sizes
from engine.tensor import Tensor


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


def same_padding(input: Tensor, weight: Tensor, stride: Sizes, dilation: Sizes, padding: str) -> tuple[Tensor, Sizes]:
    """The input (padded on one side where the kernel is even) and the padding for ``'same'`` or ``'valid'``.

    Raises:
        RuntimeError: another word, or ``'same'`` with a stride.
    """
    if padding == "valid":
        return input, (0,) * len(stride)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if weight.ndim != input.ndim:
        raise RuntimeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight{list(weight.shape)}, but got "
            f"{input.ndim}-dimensional input of size {list(input.shape)} instead"
        )
    if max(stride) != 1:
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:], strict=True)]
    left = tuple(total // 2 for total in totals)
    if all(total % 2 == 0 for total in totals):
        return input, left
    warnings.warn(
        "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be created",
        stacklevel=4,
    )
    more = [amount for total in reversed(totals) for amount in (0, total % 2)]
    return TABLES["functional"]["pad"](input, more), left


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
