"""What PyTorch refuses to convolve, in its words; and how large the result is of what fits."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from engine.dtype_names import c_type, scalar_type
from engine.ops.neural.windows import Sizes, output_sizes


def check_common(
    input: Any, weight: Any, bias: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> None:
    """Types and parameters, for both kinds of convolution.

    Raises:
        RuntimeError: naming what does not fit.
    """
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) < 0:
        raise RuntimeError("dilation should be greater than zero")
    if not min(dilation):
        raise RuntimeError(f"dilation should be greater than zero, but got {list(dilation)}")
    if weight.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if weight.ndim != input.ndim:
        raise RuntimeError(
            f"expected stride to be a single integer value or a list of {weight.ndim - 2} values to match the "
            f"convolution dimensions, but got stride={list(stride)}"
        )
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if weight.shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{list(weight.shape)} instead"
        )
    if weight.shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{list(weight.shape)}] instead"
        )
    if input.dtype != weight.dtype:
        names = [scalar_type(a) for a in (input, weight)]
        raise RuntimeError(f"expected scalar type {names[0]} but found {names[1]}")
    if bias is not None:
        same_as_bias(input, bias)


def same_as_bias(input: Any, bias: Any) -> None:
    """Input and bias are of one dtype.

    Raises:
        RuntimeError: naming both in C's words.
    """
    if bias.dtype != input.dtype:
        raise RuntimeError(f"Input type ({c_type(input)}) and bias type ({c_type(bias)}) should be the same")


def check(input: Any, weight: Any, bias: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> None:
    """Whether a convolution makes sense.

    Raises:
        RuntimeError: naming the sizes.
    """
    if bias is not None and input.ndim == weight.ndim:
        same_as_bias(input, bias)
    check_common(input, weight, bias, stride, padding, dilation, groups)
    if input.shape[1] != weight.shape[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(input.shape)} to have "
            f"{weight.shape[1] * groups} channels, but got {input.shape[1]} channels instead"
        )
    if bias is not None and bias.shape != (weight.shape[0],):
        raise RuntimeError(
            f"Given weight of size {list(weight.shape)}, expected bias to be 1-dimensional with {weight.shape[0]} "
            f"elements, but got bias of size {list(bias.shape)} instead"
        )
    reach = [n + 2 * p for n, p in zip(input.shape[2:], padding, strict=True)]
    kernel = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:], strict=True)]
    if any(r < k for r, k in zip(reach, kernel, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, reach))}). Kernel size: "
            f"({' x '.join(map(str, kernel))}). Kernel size can't be greater than actual input size"
        )
    if 0 in (*input.shape[2:], *weight.shape[2:]) and input.shape[0] and input.shape[1]:
        refuse_nothing(input, weight)


def refuse_nothing(input: Any, weight: Any) -> None:
    """PyTorch's words about an image or a filter without elements; a row is two-dimensional there.

    Raises:
        RuntimeError: always.
    """
    shape, kernel = ([*a.shape[:2], *(1,) * (4 - a.ndim), *a.shape[2:]] for a in (input, weight))
    if 0 in shape[2:]:
        raise RuntimeError(f"Only zero batch or zero channel inputs are supported, but got input shape: {shape}")
    if input.ndim == 5:
        raise RuntimeError(
            f"kernel size should be greater than zero, but got: {' x '.join(map(str, kernel[2:]))} (TxHxW)"
        )
    sides = " ".join(f"kernel_{side}: {n}" for side, n in zip(("height", "width"), kernel[-2:], strict=True))
    raise RuntimeError(f"kernel size should be greater than zero, but got {sides}")


def check_transposed(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Sizes,
    padding: Sizes,
    output_padding: Sizes,
    dilation: Sizes,
    groups: int,
) -> None:
    """Whether a transposed convolution makes sense.

    Raises:
        RuntimeError: naming the sizes.
    """
    check_common(input, weight, bias, stride, padding, dilation, groups)
    if min(output_padding) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if input.shape[1] != weight.shape[0]:
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(weight.shape)}, expected input{list(input.shape)} to have "
            f"{weight.shape[0]} channels, but got {input.shape[1]} channels instead"
        )
    if bias is not None and bias.shape != (weight.shape[1] * groups,):
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(weight.shape)}, expected bias to be 1-dimensional with "
            f"{weight.shape[1] * groups} elements, but got bias of size {list(bias.shape)} instead"
        )
    if any(o >= s and o >= d for o, s, d in zip(output_padding, stride, dilation, strict=True)):
        raise RuntimeError(
            "output padding must be smaller than either stride or dilation, but got "
            + " ".join(
                f"{what}_{axis}: {size}"
                for what, sizes, missing in (
                    ("output_padding", output_padding, 0), ("stride", stride, 1), ("dilation", dilation, 1),
                )
                for axis, size in axes_named(sizes, missing)
            )
        )  # fmt: skip


def axes_named(sizes: Any, missing: int) -> list[tuple[str, int]]:
    """Sizes by the axes' names in PyTorch's kernels, where one dimension is the width of an image."""
    full = [missing, *sizes] if len(sizes) == 1 else list(sizes)
    return list(zip(("depth", "height", "width")[-len(full) :], full, strict=True))


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
