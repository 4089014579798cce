"""Max pooling: the largest of each window, and where it stood."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.neural.flat_slopes import zeros_for
from engine.ops.neural.pooling_shapes import Pool, pool_sizes
from engine.ops.neural.windows import Sizes, kernel_places, padded
from engine.tensor import Tensor


def smallest(dtype: Any) -> Any:
    """What no element is below."""
    return -np.inf if dtype.kind in "fV" else np.iinfo(dtype).min


def largest_in_windows(array: Any, pool: Pool) -> tuple[Any, Any]:
    """Values and flat spatial indices of the largest elements; a NaN counts as largest, the last one winning."""
    margins = pool.margins()
    around = padded(array, margins, smallest(array.dtype))
    if any(map(any, margins)) and smallest(array.dtype) == 0:
        around = padded(array, margins)
    best = place = None
    for number, (_, slices) in enumerate(kernel_places(pool.kernel, pool.stride, pool.dilation, pool.out)):
        seen = around[(..., *slices)]
        if best is None:
            best, place = seen.copy(), np.zeros(seen.shape, np.int64)
            continue
        better = seen > best
        if array.dtype.kind != "i":
            better |= seen != seen
        np.copyto(best, seen, where=better)
        np.copyto(place, number, where=better)
    return best, flat_indices(place, pool)


def flat_indices(place: Any, pool: Pool) -> Any:
    """From positions in the kernel to positions in the unpadded input, counted row by row."""
    index = np.zeros_like(place)
    for d, position in enumerate(np.unravel_index(place, pool.kernel)):
        start = np.arange(pool.out[d]) * pool.stride[d] - pool.padding[d]
        along = start.reshape(-1, *(1,) * (pool.dims - d - 1)) + position * pool.dilation[d]
        index = index * pool.spatial[d] + along
    return index


def put_back(grad: Any, shape: Sizes, indices: Any, dims: int) -> Any:
    """Adds gradients up at flat spatial indices of an input of ``shape``."""
    lead, area = math.prod(shape[:-dims]), math.prod(shape[-dims:])
    flat = (indices.reshape(lead, math.prod(indices.shape[-dims:])) + np.arange(lead)[:, None] * area).ravel()
    if grad.dtype.kind == "V":
        return np.bincount(flat, grad.astype(np.float32).ravel(), lead * area).astype(grad.dtype).reshape(shape)
    return np.bincount(flat, grad.ravel(), lead * area).astype(grad.dtype).reshape(shape)


def pick(array: Any, indices: Any, dims: int) -> Any:
    """The elements of ``array`` at flat spatial indices."""
    flat = array.reshape(*array.shape[:-dims], math.prod(array.shape[-dims:]))
    places = indices.reshape(*indices.shape[:-dims], math.prod(indices.shape[-dims:]))
    return np.take_along_axis(flat, places, -1).reshape(indices.shape)


@operator(
    at="internal",
    grad_fn="MaxPool2DWithIndicesBackward0",
    formula="max over each window",
    outputs="result0 result1",
    nondifferentiable=(1,),
    undefined_gradients=True,
    saves="ceil_mode dilation kernel_size padding result1 self stride",
    self=lambda grads, self, result1: max_pool2d_backward(grads[0], self, result1),
)
def max_pool2d_with_indices(
    self: Any, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """Keeps the largest of each window; only that element gets the window's gradient, the others get zero."""
    return largest_in_windows(
        self, Pool("max_pool2d", self.shape, 2, kernel_size, stride, padding, dilation, ceil_mode)
    )


@operator(
    at="internal",
    grad_fn="MaxPool2DWithIndicesBackwardBackward0",
    grad_output=lambda grad, indices: max_pool2d_pick(grad, indices),
    self=lambda self: zeros_for(self),
)
def max_pool2d_backward(grad_output: Any, self: Any, indices: Any) -> Any:
    """Sends each window's gradient to the place of its largest element."""
    return put_back(grad_output, self.shape, indices, 2)


@operator(
    at="internal", grad_fn="GatherBackward0", self=lambda grad, self, indices: max_pool2d_backward(grad, self, indices)
)
def max_pool2d_pick(self: Any, indices: Any) -> Any:
    """The elements at each window's largest place."""
    return pick(self, indices, 2)


@operator(
    at="internal",
    grad_fn="MaxPool3DWithIndicesBackward0",
    formula="max over each window",
    outputs="result0 result1",
    nondifferentiable=(1,),
    undefined_gradients=True,
    saves="ceil_mode dilation kernel_size padding result1 self stride",
    self=lambda grads, self, result1: max_pool3d_backward(grads[0], self, result1),
)
def max_pool3d_with_indices(
    self: Any, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """Keeps the largest of each window; only that element gets the window's gradient, the others get zero."""
    return largest_in_windows(
        self, Pool("max_pool3d", self.shape, 3, kernel_size, stride, padding, dilation, ceil_mode)
    )


@operator(
    at="internal",
    grad_fn="MaxPool3DWithIndicesBackwardBackward0",
    grad_output=lambda grad, indices: max_pool3d_pick(grad, indices),
    self=lambda self: zeros_for(self),
)
def max_pool3d_backward(grad_output: Any, self: Any, indices: Any) -> Any:
    """Sends each window's gradient to the place of its largest element."""
    return put_back(grad_output, self.shape, indices, 3)


@operator(
    at="internal", grad_fn="GatherBackward0", self=lambda grad, self, indices: max_pool3d_backward(grad, self, indices)
)
def max_pool3d_pick(self: Any, indices: Any) -> Any:
    """The elements at each window's largest place."""
    return pick(self, indices, 3)


def saved_sizes(
    dims: int, function: str, kernel_size: Any, stride: Any, padding: Any, dilation: Any
) -> tuple[Any, ...]:
    """Arguments as PyTorch's node shows them: tuples, and an empty stride where none was given."""
    none = stride is None or (not isinstance(stride, int) and not len(stride))
    return (
        pool_sizes(kernel_size, dims, function, "kernel_size"),
        () if none else pool_sizes(stride, dims, function, "stride"),
        pool_sizes(padding, dims, function, "padding"),
        pool_sizes(dilation, dims, function, "dilation"),
    )


@composite(at="functional")
def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """(N, C, H, W) → (N, C, H', W'), and with ``return_indices`` where the largest stood."""
    sizes = saved_sizes(2, "max_pool2d", kernel_size, stride, padding, dilation)
    values, indices = max_pool2d_with_indices(input, *sizes, ceil_mode)
    return (values, indices) if return_indices else values


@composite(at="functional")
def max_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """(N, C, D, H, W) → (N, C, D', H', W'), and with ``return_indices`` where the largest stood."""
    sizes = saved_sizes(3, "max_pool3d", kernel_size, stride, padding, dilation)
    values, indices = max_pool3d_with_indices(input, *sizes, ceil_mode)
    return (values, indices) if return_indices else values


@composite(at="functional")
def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """(N, C, L) → (N, C, L'): two-dimensional pooling over one row."""
    if input.ndim not in (2, 3):
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(input.shape)}"
        )
    kernel, step, pad, dilated = saved_sizes(1, "max_pool1d", kernel_size, stride, padding, dilation)
    step = step or kernel
    values, indices = max_pool2d_with_indices(
        input.unsqueeze(-2), (1, *kernel), (1, *step), (0, *pad), (1, *dilated), ceil_mode
    )
    return (values.squeeze(-2), indices.squeeze(-2)) if return_indices else values.squeeze(-2)


def without_indices(pool: Any) -> Any:
    """``torch.max_pool2d``, which never returns indices."""

    def call(
        input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> Tensor:
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode)

    call.__name__, call.__doc__ = pool.__name__, pool.__doc__
    return call


def with_indices(pool: Any) -> Any:
    """``max_pool2d_with_indices``."""

    def call(input: Tensor, *args: Any, return_indices: bool = True, **kwargs: Any) -> Any:
        return pool(input, *args, return_indices=True, **kwargs)

    call.__name__, call.__doc__ = f"{pool.__name__}_with_indices", pool.__doc__
    return call


for pool in (max_pool1d, max_pool2d, max_pool3d):
    composite(at="torch")(without_indices(pool))
    composite(at="functional")(with_indices(pool))
composite(at="torch", name="max_pool1d_with_indices")(with_indices(max_pool1d))
