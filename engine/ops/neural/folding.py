"""Unfolding images into columns, one for each window, and folding columns back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import wrapped
from engine.ops.neural.whole_sizes import whole_sizes
from engine.ops.neural.windows import Sizes, gathered_back, output_sizes, padded, tuples, windows
from engine.tensor import Tensor


def pair_of(value: Any, function: str, name: str, position: int) -> Sizes:
    """``3`` as ``(3, 3)``, what can be gone through as it stands.

    Raises:
        TypeError: no whole numbers.
    """
    sizes = tuple(value) if isinstance(value, Iterable) else (value, value)
    return whole_sizes(sizes, 2, function, name, position)


def check_sizes(**sizes: Sizes) -> None:
    """Raises RuntimeError: a size that is not positive (padding: negative)."""
    for name, size in sizes.items():
        if len(size) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(size)}")
        least = 0 if name == "padding" else 1
        if min(size) < least:
            short = {"kernel_size": "kernel", "padding": "pad"}.get(name, name)
            wanted = "non-negative" if least == 0 else "greater than zero"
            spoken = name.replace("_", " ")
            raise RuntimeError(
                f"{spoken} should be {wanted}, but got {short}_height: {size[0]} {short}_width: {size[1]}"
            )


@operator(
    at="internal",
    name="im2col",
    formula="windows as columns",
    saves="dilation kernel_size padding self_sym_argsize_minus_1 self_sym_argsize_minus_2 stride",
    self=lambda grad, self_sym_argsize_minus_2, self_sym_argsize_minus_1, kernel_size, dilation, padding, stride: (
        columns_to_image(
            grad, (self_sym_argsize_minus_2, self_sym_argsize_minus_1), kernel_size, dilation, padding, stride
        )
    ),
)
def image_to_columns(self: Any, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Any:
    """Lays every window out as a column; an element in several windows gets the gradients of all.

    Raises:
        RuntimeError: windows larger than the image.
    """
    kernel_size, dilation, padding, stride = tuples(kernel_size, dilation, padding, stride)
    batch = self if self.ndim == 4 else self[None]
    out = output_sizes(batch.shape[2:], kernel_size, stride, padding, dilation)
    if min(out) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(self.shape[-2:])}, kernel_size={tuple(kernel_size)}, "
            f"dilation={tuple(dilation)}, padding={tuple(padding)}, calculated shape of the array of sliding blocks "
            f"as {tuple(out)}, but its components must be at least one."
        )
    seen = windows(padded(batch, padding), kernel_size, stride, dilation, out)
    columns = seen.reshape(batch.shape[0], batch.shape[1] * kernel_size[0] * kernel_size[1], out[0] * out[1])
    return np.ascontiguousarray(columns if self.ndim == 4 else columns[0])


@operator(
    at="internal",
    name="col2im",
    formula="columns added up",
    saves="dilation kernel_size padding stride",
    self=lambda grad, kernel_size, dilation, padding, stride: image_to_columns(
        grad, kernel_size, dilation, padding, stride
    ),
)
def columns_to_image(
    self: Any, output_size: Sizes, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes
) -> Any:
    """Adds columns up where their windows overlap; every element gets its sum's gradient.

    Raises:
        RuntimeError: another number of rows or columns than the windows have.
    """
    output_size, kernel_size = tuples(output_size, kernel_size)
    dilation, padding, stride = tuples(dilation, padding, stride)
    batch = self if self.ndim == 3 else self[None]
    out = output_sizes(output_size, kernel_size, stride, padding, dilation)
    area = kernel_size[0] * kernel_size[1]
    if batch.shape[1] % area:
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)="
            f"{batch.shape[1]} and kernel_size={kernel_size}."
        )
    if min(out) < 1 or batch.shape[2] != out[0] * out[1]:
        raise RuntimeError(
            f"Given output_size={tuple(output_size)}, kernel_size={kernel_size}, dilation={dilation}, "
            f"padding={padding}, stride={stride}, expected size of "
            f"input's dimension 2 to match the calculated number of sliding blocks {out[0]} * {out[1]} = "
            f"{out[0] * out[1]}, but got input.size(2)={batch.shape[2]}."
        )
    channels = batch.shape[1] // area
    columns = batch.reshape(batch.shape[0], channels, *kernel_size, *out)
    image = gathered_back(columns, (batch.shape[0], channels, *output_size), kernel_size, stride, padding, dilation)
    return np.ascontiguousarray(image if self.ndim == 3 else image[0])


@composite(at="functional")
def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """(N, C, H, W) → (N, C · kH · kW, number of windows).

    Raises:
        RuntimeError: neither (N, C, H, W) nor (C, H, W), or an empty image.
    """
    sizes = (
        pair_of(kernel_size, "im2col", "kernel_size", 2),
        pair_of(dilation, "im2col", "dilation", 3),
        pair_of(padding, "im2col", "padding", 4),
        pair_of(stride, "im2col", "stride", 5),
    )
    check_sizes(kernel_size=sizes[0], dilation=sizes[1], padding=sizes[2], stride=sizes[3])
    if input.ndim < 3:
        wrapped(input.ndim, input.ndim)
    if input.ndim not in (3, 4) or not all(input.shape[-3:]):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    return image_to_columns(input, *sizes)


@composite(at="functional")
def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """(N, C · kH · kW, number of windows) → (N, C, *output_size).

    Raises:
        RuntimeError: neither (N, C · K, L) nor (C · K, L), or an output size of other dimensions.
    """
    output = pair_of(output_size, "col2im", "output_size", 2)
    sizes = (
        pair_of(kernel_size, "col2im", "kernel_size", 3),
        pair_of(dilation, "col2im", "dilation", 4),
        pair_of(padding, "col2im", "padding", 5),
        pair_of(stride, "col2im", "stride", 6),
    )
    check_sizes(kernel_size=sizes[0], dilation=sizes[1], padding=sizes[2], stride=sizes[3])
    if input.ndim not in (2, 3):
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    if len(output) != 2:
        raise RuntimeError(f"It is expected output_size equals to 2, but got size {len(output)}")
    return columns_to_image(input, output, *sizes)
