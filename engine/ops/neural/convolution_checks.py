"""What PyTorch refuses to convolve, in its words; and what ``padding='same'`` means."""

from __future__ import annotations

import warnings
from typing import Any

from engine.dtype_names import c_type, scalar_type
from engine.ops.core.catalogue import TABLES
from engine.ops.neural.windows import Sizes
from engine.tensor import Tensor


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


def axes_named(sizes: Any, missing: int) -> list[tuple[str, int]]:
    """Sizes by the axes' names in PyTorch's kernels, where one dimension is the width of an image."""
    full = [missing, *sizes] if len(sizes) == 1 else list(sizes)
    return list(zip(("depth", "height", "width")[-len(full) :], full, strict=True))
