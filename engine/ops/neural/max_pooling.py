"""Max pooling: the largest of each window, and where it stood."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import state
from engine.ops.core.declare import composite, operator
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.core.tangents import tangent_of
from engine.ops.neural.picking import put_back_operator
from engine.ops.neural.pooling_shapes import Pool, pooled_shapes, saved_sizes, unlike_rows
from engine.ops.neural.windows import kernel_places, padded
from engine.tensor import Tensor, wrap


def smallest(dtype: Any) -> Any:
    """What no element is below."""
    return -np.inf if dtype.kind in "fV" else np.iinfo(dtype).min


def largest_in_windows(array: Any, pool: Pool) -> tuple[Any, Any]:
    """Values and flat spatial indices of the largest elements; a NaN counts as largest, the last one winning."""
    around = padded(array, pool.margins(), smallest(array.dtype))
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


def over_windows(dims: int) -> Any:
    """Declares the operator that finds each window's largest element in so many dimensions, with its gradients."""
    function = f"max_pool{dims}d"
    back = put_back_operator(function, dims, f"MaxPool{dims}DWithIndices")

    @operator(
        at="internal",
        order="images",
        name=f"{function}_with_indices",
        formula="max over each window",
        outputs="result0 result1",
        nondifferentiable=(1,),
        undefined_gradients=True,
        saves="ceil_mode dilation kernel_size padding result1 self stride",
        self=lambda grads, self, result1: back(grads[0], self, result1),
    )
    def forward(
        self: Any, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> Any:
        """Keeps the largest of each window; that element gets the window's gradient, the others get zero."""
        pool = Pool(function, self.shape, dims, kernel_size, stride, padding, dilation, ceil_mode)
        return largest_in_windows(self, pool)

    return forward


def pooling(dims: int) -> Any:
    """Declares ``max_pool2d`` or ``max_pool3d`` as people call it."""
    function, windows = f"max_pool{dims}d", over_windows(dims)

    @composite(
        at="functional",
        name=function,
        explanation=pooled_shapes(dims) + ", and with ``return_indices`` where the largest stood.",
        parsed=True,
    )
    def pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        sizes = saved_sizes(dims, function, kernel_size, stride, padding, dilation)
        values, indices = windows(input, *sizes, ceil_mode)
        return (values, indices) if return_indices else values

    return pool


max_pool2d, max_pool3d = pooling(2), pooling(3)


@composite(at="functional", parsed=True)
def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """(N, C, L) → (N, C, L'): two-dimensional pooling over one row.

    Raises:
        RuntimeError: neither (N, C, L) nor (C, L).
    """
    if not return_indices:
        floats_only(input._array, "max_pool1d_impl")
        # For its refusals: one over two dimensions words them otherwise.
        Pool("max_pool1d", tuple(input.shape), 1, kernel_size, stride, padding, dilation, ceil_mode)
    elif input.ndim not in (2, 3):
        raise RuntimeError(unlike_rows("max_pool1d", input.ndim))
    kernel, step, pad, dilated = saved_sizes(1, "max_pool1d", kernel_size, stride, padding, dilation)
    step = step or kernel
    row = input.unsqueeze(-2)
    values, indices = max_pool2d(row, (1, *kernel), (1, *step), (0, *pad), (1, *dilated), ceil_mode, True)
    if return_indices:
        return values.squeeze(-2), indices.squeeze(-2)
    # Where nothing is recorded and nothing moves forward PyTorch pools rows directly, and its result is no view.
    followed = values.requires_grad or (state.forward_level and tangent_of(values) is not None)
    return values.squeeze(-2) if followed else wrap(values._array.squeeze(-2))


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
