"""Max unpooling: values back at the places where pooling found them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.neural.whole_sizes import whole_sizes
from engine.ops.neural.windows import Sizes
from engine.tensor import Tensor


def unpool(dims: int) -> Any:
    """Declares ``max_unpool2d`` or ``…3d``."""

    @operator(
        at="internal",
        name=f"max_unpool{dims}d",
        formula="x back at its places",
        saves="indices",
        self=lambda grad, indices: again(grad, indices),
    )
    def forward(self: Any, indices: Any, output_size: Sizes) -> Any:
        """Puts each value back where pooling found it, zeros elsewhere; its gradient is read there."""
        if indices.dtype != np.int64:
            raise RuntimeError(f"elements in indices should be type int64 but got: {scalar_type(indices)}")
        if indices.shape != self.shape:
            raise RuntimeError(
                f"Expected shape of indices to be same as that of the input tensor ({list(self.shape)}) but got "
                f"indices tensor with shape: {list(indices.shape)}"
            )
        lead = self.shape[:-dims]
        area = int(np.prod(output_size))
        wrong = (indices < 0) | (indices >= area)
        if np.any(wrong):
            raise RuntimeError(
                f"Found an invalid max index: {int(indices[wrong].flat[0])} (output volumes are of size "
                f"{'x'.join(map(str, output_size))})"
            )
        out = np.zeros((*lead, area), self.dtype)
        np.put_along_axis(out, indices.reshape(*lead, -1), self.reshape(*lead, -1), -1)
        return out.reshape(*lead, *output_size)

    def again(grad: Tensor, indices: Tensor) -> Tensor:
        """The elements at given places, read in one row per image."""
        lead = tuple(indices.shape[:-dims])
        rows = grad.contiguous().view(*lead, -1)
        return rows.gather(-1, indices.view(*lead, -1)).view(indices.shape)

    return forward


UNPOOL = {2: unpool(2), 3: unpool(3)}


def each(value: Any, dims: int) -> tuple[Any, ...]:
    """``3`` as ``(3, 3)``, what can be gone through as it stands: PyTorch computes the size in Python, with any numbers."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * dims


def unpool_size(
    input: Tensor, kernel: tuple[Any, ...], stride: tuple[Any, ...], padding: tuple[Any, ...], output_size: Any
) -> tuple[Any, ...]:
    """The size that pooling started from.

    Raises:
        IndexError: other numbers of values.
        ValueError: a given size too far from it.
    """
    dims = len(kernel)
    spatial = input.shape[-dims:]
    default = tuple((spatial[d] - 1) * stride[d] + kernel[d] - 2 * padding[d] for d in range(dims))
    if output_size is None:
        return default
    wanted = tuple(output_size)[-dims:] if len(output_size) == dims + 2 else tuple(output_size)
    if len(wanted) != dims:
        raise ValueError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
            f"'{len(output_size)}'"
        )
    for d in range(dims):
        low, high = default[d] - stride[d], default[d] + stride[d]
        if not low < wanted[d] < high:
            raise ValueError(f'invalid output_size "{list(wanted)}" (dim {d} must be between {low} and {high})')
    return wanted


def max_unpool(
    dims: int, input: Tensor, indices: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Tensor:
    """All three sizes; one dimension goes through two."""
    kernel = each(kernel_size, dims)
    step = kernel if stride is None else each(stride, dims)
    wanted = unpool_size(input, kernel, step, each(padding, dims), output_size)
    places = max(dims, 2)
    size = whole_sizes(wanted if dims > 1 else (*wanted, 1), places, f"max_unpool{places}d", "output_size", 3)
    if dims > 1:
        return UNPOOL[dims](input, indices, size)
    return UNPOOL[2](input.unsqueeze(-1), indices.unsqueeze(-1), size).squeeze(-1)


@composite(at="functional")
def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """(N, C, L) → (N, C, L')."""
    return max_unpool(1, input, indices, kernel_size, stride, padding, output_size)


@composite(at="functional")
def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """(N, C, H, W) → (N, C, H', W')."""
    return max_unpool(2, input, indices, kernel_size, stride, padding, output_size)


@composite(at="functional")
def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """(N, C, D, H, W) → (N, C, D', H', W')."""
    return max_unpool(3, input, indices, kernel_size, stride, padding, output_size)
