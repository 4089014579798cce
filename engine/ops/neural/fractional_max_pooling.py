"""Fractional max pooling: the largest of each of randomly placed windows (Graham 2014)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.catalogue import torch_function
from engine.ops.core.declare import composite, operator
from engine.ops.neural.picking import put_back_operator
from engine.ops.neural.pooling_shapes import pool_sizes
from engine.ops.neural.windows import Sizes
from engine.tensor import Tensor


def starts(sample: float, size: int, out: int, kernel: int) -> Any:
    """Where each of ``out`` windows begins along a dimension: random steps, the last window at the end."""
    begins = []
    if out > 1:
        alpha = (size - kernel) / (out - 1)
        begins = [int((i + sample) * alpha) - int(sample * alpha) for i in range(out - 1)]
    if out > 0:
        begins.append(size - kernel)
    return np.array(begins, np.int64)


def largest_in_windows(image: Any, begins: list[Any], kernel: Sizes) -> tuple[Any, Any]:
    """Values and flat indices of the largest element of each window of an image without channels."""
    dims = image.ndim
    cells: Any = np.zeros((), np.int64)
    for d, (begin, width) in enumerate(zip(begins, kernel, strict=True)):
        shape = [1] * (2 * dims)
        shape[d], shape[dims + d] = len(begin), width
        cells = cells * image.shape[d] + (begin[:, None] + np.arange(width)).reshape(shape)
    cells = cells.reshape(*cells.shape[:dims], math.prod(kernel))
    seen = image.reshape(-1)[cells]
    best = seen.argmax(-1)[..., None]
    return np.take_along_axis(seen, best, -1)[..., 0], np.take_along_axis(cells, best, -1)[..., 0]


def fractional(dims: int) -> Any:
    """Declares ``fractional_max_pool2d`` or ``…3d``."""
    back = put_back_operator(f"fractional_max_pool{dims}d", dims, f"FractionalMaxPool{dims}D")

    @operator(
        at="internal",
        name=f"fractional_max_pool{dims}d",
        formula="max over random windows",
        outputs="result0 result1",
        nondifferentiable=(1,),
        undefined_gradients=True,
        saves="kernel_size output_size result1 self",
        self=lambda grads, self, result1: back(grads[0], self, result1),
    )
    def forward(self: Any, kernel_size: Sizes, output_size: Sizes, random_samples: Any) -> Any:
        """Keeps the largest of each randomly placed window; that element gets the window's gradient, the others get
        zero.
        """
        batch = self if self.ndim == dims + 2 else self[None]
        for n, o, k in zip(batch.shape[2:], output_size, kernel_size, strict=True):
            if o + k - 1 > n:
                raise RuntimeError(
                    f"fractional_max_pool{dims}d(): pool size ({k}) too large relative to input size ({n})"
                )
        values = np.empty((*batch.shape[:2], *output_size), batch.dtype)
        indices = np.empty(values.shape, np.int64)
        for n, c in np.ndindex(*batch.shape[:2]):
            samples = random_samples[n, c]
            order = samples[::-1] if dims == 2 else samples
            begins = [starts(float(order[d]), batch.shape[2 + d], output_size[d], kernel_size[d]) for d in range(dims)]
            values[n, c], indices[n, c] = largest_in_windows(batch[n, c], begins, kernel_size)
        return (values, indices) if self.ndim == dims + 2 else (values[0], indices[0])

    return forward


FRACTIONAL = {2: fractional(2), 3: fractional(3)}


def fractional_pool(
    dims: int,
    input: Tensor,
    kernel_size: Any,
    output_size: Any,
    output_ratio: Any,
    return_indices: bool,
    samples: Tensor | None,
) -> Any:
    """Both sizes.

    Raises:
        ValueError: neither output size nor ratio.
    """
    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        ratios = output_ratio if isinstance(output_ratio, list | tuple) else (output_ratio,) * dims
        output_size = tuple(int(n * r) for n, r in zip(input.shape[-dims:], ratios, strict=True))
    if samples is None:
        batch = 1 if input.ndim == dims + 1 else input.shape[0]
        samples = torch_function("rand")(batch, input.shape[-dims - 1], dims, dtype=input.dtype)
    kernel, out = pool_sizes(kernel_size, dims, name, "kernel_size"), pool_sizes(output_size, dims, name, "output_size")
    values, indices = FRACTIONAL[dims](input, kernel, out, samples)
    return (values, indices) if return_indices else values


@composite(at="functional", parsed=True)
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """(N, C, H, W) → (N, C, *output_size), over randomly placed windows (Graham 2014)."""
    return fractional_pool(2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@composite(at="functional", parsed=True)
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """(N, C, D, H, W) → (N, C, *output_size), over randomly placed windows (Graham 2014)."""
    return fractional_pool(3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
