"""What adaptive pooling is asked for: a size of the output, and the regions of the input that it means."""

from __future__ import annotations

from typing import Any

from engine.ops.neural.pooling_shapes import unlike_rows
from engine.ops.neural.whole_sizes import whole_sizes
from engine.ops.neural.windows import Sizes
from engine.tensor import Tensor


def regions(size: int, out: int) -> list[tuple[int, int]]:
    """Begin and end of each of ``out`` regions that cover ``size`` elements (they may overlap by one)."""
    return [(i * size // out, -((-(i + 1) * size) // out)) for i in range(out)]


def full_output_size(function: str, input: Tensor, output_size: Any, dims: int) -> Sizes:
    """``3`` or ``(3, None)`` as one number per dimension; among several, None keeps the input's.

    Raises:
        RuntimeError, ValueError: a wrong number of sizes or of input dimensions.
        TypeError: sizes that are no whole numbers.
    """
    if dims > 1 and not isinstance(output_size, int):
        if input.ndim <= len(output_size):
            raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
        kept = input.shape[-len(output_size) :]
        output_size = [n if size is None else size for size, n in zip(output_size, kept, strict=False)]
    sizes = whole_sizes(output_size, dims, function, "output_size", 2)
    if dims == 1 and input.ndim not in (2, 3):
        raise RuntimeError(unlike_rows(function, input.ndim))
    if len(sizes) != dims:
        if dims == 1:
            raise RuntimeError(f"{function}() argument 'output_size' should contain one int (got {len(sizes)})")
        if "max" in function:
            raise RuntimeError(f"{function}(): internal error: output_size.size() must be {dims}")
        raise RuntimeError(f"{function}: output_size must be {dims}")
    by_mean = "avg" in function and set(sizes) == {1}  # which takes tensors of any number of dimensions
    if not by_mean and input.ndim not in (dims + 1, dims + 2):
        got = f"got{':' if 'max' in function else ''} {list(input.shape)}"
        raise RuntimeError(f"{function}(): Expected {dims + 1}D or {dims + 2}D tensor, but {got}")
    if min(sizes) < 0:
        asked = (1, *sizes) if dims == 1 else sizes  # a row is an image of one line
        if "max" in function:
            shape = [*input.shape[:-dims], *asked]
            raise RuntimeError(f"Trying to create tensor with negative dimension {min(sizes)}: {shape}")
        given = ", ".join(map(str, asked[:2])) + "".join(f",{n}" for n in asked[2:])
        raise RuntimeError(
            f"adaptive_avg_pool{len(asked)}d: elements of output_size must be greater than or equal to 0 "
            f"but received {{{given}}}"
        )
    return sizes
