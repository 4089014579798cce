"""What all Fourier transforms do first: read dimensions, lengths and scale, convert the numbers, pad or trim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine import dtype as dtypes
from engine.dtype_names import scalar_type
from engine.ops.core.catalogue import TABLES
from engine.ops.core.dimension import wrapped_of_some
from engine.ops.fourier.kernels import NONE, ROOT, WHOLE
from engine.tensor import Tensor


def scale_of(norm: str | None, forward: bool) -> int:
    """The number of a scale by its name.

    Raises:
        RuntimeError: no such name.
    """
    if norm is None or norm == "backward":
        return NONE if forward else WHOLE
    if norm == "forward":
        return WHOLE if forward else NONE
    if norm == "ortho":
        return ROOT
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def promoted(input: Tensor, to_complex: bool) -> Tensor:
    """The numbers as floats, and as complex ones if need be.

    Raises:
        RuntimeError: half precision.
    """
    array = input._array.dtype
    if array.kind in "biu":
        input = input.to(dtypes.defaults.floating)
    elif array.kind == "V" or array.itemsize < 4:
        raise RuntimeError(f"Unsupported dtype {scalar_type(input._array)}")
    return input.to(input.dtype.to_complex()) if to_complex and not input.dtype.is_complex else input


def resized(input: Tensor, dims: Sequence[int], lengths: Sequence[int]) -> Tensor:
    """Trimmed, or padded with zeros at the end; −1 leaves a dimension as it is.

    Raises:
        RuntimeError: a length below one.
    """
    padding = [0] * (2 * input.ndim)
    must_pad = False
    for dim, length in zip(dims, lengths, strict=True):
        if length == -1:
            continue
        if length <= 0:
            raise RuntimeError(f"Invalid number of data points ({length}) specified")
        have = input.shape[dim]
        if have < length:
            padding[2 * (input.ndim - dim) - 1] = length - have
            must_pad = True
        if have > length:
            input = trimmed(input, dim, length)
    return TABLES["torch"]["constant_pad_nd"](input, padding) if must_pad else input


def trimmed(input: Tensor, dim: int, length: int) -> Tensor:
    """The first ``length`` entries along ``dim``."""
    return input[(*(slice(None),) * dim, slice(0, length))]


def several(input: Tensor, s: Any, dim: Any, default: Sequence[int] | None = None) -> tuple[list[int], list[int]]:
    """Dimensions (from the front) and lengths of a transform over several.

    Raises:
        RuntimeError: more lengths than dimensions, different numbers of both, or a dimension twice.
        IndexError: no such dimension.
    """
    dim = (dim,) if isinstance(dim, int) else default if dim is None and default is not None else dim
    s = (s,) if isinstance(s, int) else s
    if dim is not None:
        dims = [wrapped_of_some(d, input.ndim) for d in dim]
        if s is not None and len(s) != len(dims):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(set(dims)) != len(dims):
            raise RuntimeError("FFT dims must be unique")
    elif s is not None:
        if len(s) > input.ndim:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {input.ndim} dimensions.")
        dims = list(range(input.ndim - len(s), input.ndim))
    else:
        dims = list(range(input.ndim))
    lengths = (
        [input.shape[d] for d in dims]
        if s is None
        else [input.shape[d] if n == -1 else n for d, n in zip(dims, s, strict=True)]
    )
    for length in lengths:
        if length <= 0:
            raise RuntimeError(f"Invalid number of data points ({length}) specified")
    return dims, lengths
