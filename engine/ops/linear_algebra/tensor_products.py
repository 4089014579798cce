"""Products of whole tensors: over pairs of dimensions, over the last one, and of everything with everything."""

from __future__ import annotations

import math
from typing import Any

from engine.ops.core.declare import composite
from engine.ops.layout.shape import unsafe_view
from engine.tensor import Tensor


@composite(at="torch")
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sums products over pairs of dimensions: the last ``dims`` of a with the first of b, or two lists of dimensions.

    Raises:
        RuntimeError: dimensions that cannot be paired.
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, list | tuple):
        left, right = ([d] if isinstance(d, int) else list(d) for d in dims)
    else:
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        left, right = list(range(-dims, 0)), list(range(dims))
    return paired(a, b, left, right)


def paired(a: Tensor, b: Tensor, left: list[int], right: list[int]) -> Tensor:
    """One matrix product over the paired dimensions.

    Raises:
        RuntimeError: lists of different lengths, or dimensions that do not match.
    """
    if len(left) != len(right):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype != b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    first, second = [d % max(a.ndim, 1) for d in left], [d % max(b.ndim, 1) for d in right]
    summed = 1
    for one, two, given_one, given_two in zip(first, second, left, right, strict=True):
        size, other = a.shape[one], b.shape[two]
        if other == 1:  # broadcast dimensions are summed right away, those of length one too
            a = a.sum(given_one, True)
        elif size == 1:
            b = b.sum(given_two, True)
        elif size != other:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {size} in dim {given_one} and second "
                f"has size {other} in dim {given_two}"
            )
        else:
            summed *= size
    free_a, free_b = [d for d in range(a.ndim) if d not in first], [d for d in range(b.ndim) if d not in second]
    rows, columns = [a.shape[d] for d in free_a], [b.shape[d] for d in free_b]
    height, width = math.prod(rows), math.prod(columns)
    one = a.permute([*free_a, *left])
    if height == width == 1:
        return whole_product(one, b.permute([*right, *free_b])).view([*rows, *columns])
    one = one.reshape(height, summed)
    product = one.mm(b.permute([*right, *free_b]).reshape(summed, width))
    return product.reshape([*rows, *columns])


def whole_product(a: Tensor, b: Tensor) -> Tensor:
    """``Σ a·b``: a dot product where both lie in memory without gaps."""
    if a.is_contiguous() and b.is_contiguous():
        flat = b.flatten()  # first, as PyTorch's compiler has it
        return a.flatten().dot(flat)
    return (a.squeeze() * b.squeeze()).sum()


@composite()
def inner(self: Tensor, other: Tensor) -> Tensor:
    """Sums products over the last dimension of both; with a 0-d tensor, the product.

    Raises:
        RuntimeError: last dimensions of different lengths.
    """
    if not self.ndim or not other.ndim:
        return self * other
    if self.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(self.shape)} and "
            f"{list(other.shape)}"
        )
    return paired(self, other, [-1], [-1])


@composite()
def kron(self: Tensor, other: Tensor) -> Tensor:
    """Every element of the left matrix times the whole right one, laid out in blocks.

    Raises:
        TypeError: the second is no tensor.
    """
    if not isinstance(other, Tensor):
        raise TypeError(f"kron(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    ndim = max(self.ndim, other.ndim)
    one, two = ([1] * (ndim - t.ndim) + list(t.shape) for t in (self, other))
    left = unsafe_view(self, [n for size in one for n in (size, 1)])
    right = unsafe_view(other, [n for size in two for n in (1, size)])
    return unsafe_view(left * right, [a * b for a, b in zip(one, two, strict=True)])
