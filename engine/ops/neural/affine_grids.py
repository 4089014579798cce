"""The places that an affine map sends a regular grid to (spatial transformers, Jaderberg et al. 2015)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.core.declare import composite, operator
from engine.ops.factories.sequences import spaced
from engine.ops.neural.sampling import corners_aligned
from engine.ops.neural.windows import Sizes
from engine.ops.products.matrix import bmm
from engine.tensor import Tensor


def base_grid(size: Sizes, align_corners: bool, dtype: Any) -> Any:
    """Homogeneous places (…, D + 1) of an output of ``size`` (N, C, …)."""
    axes = []
    for n in reversed(size[2:]):
        line = spaced(-1.0, 1.0, n, dtypes.BY_ARRAY[dtype]) if n > 1 else np.zeros(1, dtype)
        axes.append(line if align_corners else line * dtype.type(n - 1) / dtype.type(n))
    mesh = np.meshgrid(*axes[::-1], indexing="ij")[::-1]
    return np.stack([*mesh, np.ones(size[2:])], -1).astype(dtype)


def flat_places(size: Sizes, align_corners: bool, dtype: Any) -> Any:
    """`base_grid` for every sample, with one dimension for all places: (N, places, D + 1)."""
    places = base_grid(size, align_corners, dtype)
    return np.broadcast_to(places.reshape(1, -1, places.shape[-1]), (size[0], math.prod(size[2:]), places.shape[-1]))


@operator(
    at="internal",
    name="affine_grid_generator",
    formula="places · θᵀ",
    saves="align_corners size",
    theta=lambda grad, size, align_corners: affine_grid_backward(grad, tuple(size), align_corners),
)
def affine_grid_generator(theta: Any, size: Any, align_corners: bool) -> Any:
    """Moves a regular grid by an affine map; the map's gradient adds up over all places."""
    flat = flat_places(tuple(size), align_corners, theta.dtype)
    return bmm.kernel(flat, theta.swapaxes(1, 2)).reshape(size[0], *size[2:], len(size) - 2)


@operator(
    at="internal",
    grad_fn="AffineGridGeneratorBackwardBackward0",
    grid_grad=lambda grad, size, align_corners: affine_grid_generator(grad, size, align_corners),
)
def affine_grid_backward(grid_grad: Any, size: Any, align_corners: bool) -> Any:
    """``affine_grid_generator``'s derivative as an operation of its own."""
    flat = flat_places(size, align_corners, grid_grad.dtype)
    return bmm.kernel(flat.swapaxes(1, 2), grid_grad.reshape(size[0], -1, len(size) - 2)).swapaxes(1, 2)


@composite(at="functional")
def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """The grid for `grid_sample` that applies an affine map θ of shape (N, D, D + 1) to an output of ``size``.

    Raises:
        ValueError: matrices that do not fit the size, or no floats.
        NotImplementedError: other than two or three dimensions.
    """
    align_corners = corners_aligned(align_corners)
    if not theta.dtype.is_floating_point:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    dims = len(size) - 2
    if dims not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {tuple(size)}."
        )
    if theta.ndim != 3 or theta.shape[1:] != (dims, dims + 1):
        kind = f"{dims}D"
        raise ValueError(
            f"Expected a batch of {kind} affine matrices of shape Nx{dims}x{dims + 1} for size {tuple(size)}. Got "
            f"{theta.shape}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {tuple(size)}")
    return affine_grid_generator(theta, tuple(size), align_corners)
