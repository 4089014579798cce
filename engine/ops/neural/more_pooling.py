"""Adaptive and fractional max pooling, and unpooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.neural.average_pooling import full_output_size
from engine.ops.neural.flat_slopes import zeros_for
from engine.ops.neural.max_pooling import pick, put_back
from engine.ops.neural.pooling_shapes import pool_sizes
from engine.ops.neural.reduction import torch_function
from engine.ops.neural.resampling import regions
from engine.ops.neural.windows import Sizes
from engine.tensor import Tensor


def largest_in_regions(array: Any, spans: list[list[tuple[int, int]]]) -> tuple[Any, Any]:
    """Values and flat indices of the largest element of each region (the regions are the product of ``spans``)."""
    dims = len(spans)
    lead, sizes = array.shape[:-dims], array.shape[-dims:]
    out = tuple(len(s) for s in spans)
    values = np.empty((*lead, *out), array.dtype)
    indices = np.empty((*lead, *out), np.int64)
    for place in np.ndindex(*out):
        bounds = [spans[d][i] for d, i in enumerate(place)]
        part = array[(..., *(slice(a, b) for a, b in bounds))]
        shape = part.shape[-dims:]
        flat = part.reshape(*lead, -1)
        best = flat.argmax(-1)
        values[(..., *place)] = np.take_along_axis(flat, best[..., None], -1)[..., 0]
        index = np.zeros_like(best)
        for d, position in enumerate(np.unravel_index(best, shape)):
            index = index * sizes[d] + position + bounds[d][0]
        indices[(..., *place)] = index
    return values, indices


def picking(name: str, dims: int, exposed: str) -> tuple[Any, Any]:
    """Declares the gradient of a pooling that picks: the operator, and what picks in its own gradient."""

    @operator(
        at="internal",
        name=f"{name}_backward",
        grad_fn=f"{exposed}BackwardBackward0",
        grad_output=lambda grad, indices: again(grad, indices),
        self=lambda self: zeros_for(self),
    )
    def back(grad_output: Any, self: Any, indices: Any) -> Any:
        """The derivative of the function that its name begins with, as an operation of its own."""
        return put_back(grad_output, self.shape, indices, dims)

    @operator(
        at="internal",
        name=f"{name}_pick",
        grad_fn="GatherBackward0",
        self=lambda grad, self, indices: back(grad, self, indices),
    )
    def again(self: Any, indices: Any) -> Any:
        """The elements at given places."""
        return pick(self, indices, dims)

    return back, again


def adaptive(dims: int) -> Any:
    """Declares ``adaptive_max_pool2d`` or ``…3d``."""
    back, _ = picking(f"adaptive_max_pool{dims}d", dims, f"AdaptiveMaxPool{dims}D")

    @operator(
        at="internal",
        name=f"adaptive_max_pool{dims}d",
        grad_fn=f"AdaptiveMaxPool{dims}DBackward0",
        formula="max over each region",
        outputs="result0 result1",
        nondifferentiable=(1,),
        undefined_gradients=True,
        saves="result1 self",
        self=lambda grads, self, result1: back(grads[0], self, result1),
    )
    def forward(self: Any, output_size: Sizes) -> Any:
        """Cuts the input into regions and keeps the largest of each; that element gets the region's gradient, the
        others get zero.
        """
        return largest_in_regions(self, [regions(n, o) for n, o in zip(self.shape[-dims:], output_size, strict=True)])

    return forward


ADAPTIVE = {2: adaptive(2), 3: adaptive(3)}


@composite(at="functional", parsed=True)
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """(N, C, H, W) → (N, C, *output_size)."""
    values, indices = ADAPTIVE[2](input, full_output_size("adaptive_max_pool2d", input, output_size, 2))
    return (values, indices) if return_indices else values


@composite(at="functional", parsed=True)
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """(N, C, D, H, W) → (N, C, *output_size)."""
    values, indices = ADAPTIVE[3](input, full_output_size("adaptive_max_pool3d", input, output_size, 3))
    return (values, indices) if return_indices else values


@composite(at="functional", parsed=True)
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """(N, C, L) → (N, C, output_size)."""
    size = full_output_size("adaptive_max_pool1d", input, output_size, 1)
    values, indices = ADAPTIVE[2](input.unsqueeze(-2), (1, *size))
    return (values.squeeze(-2), indices.squeeze(-2)) if return_indices else values.squeeze(-2)


@composite(at="torch", name="adaptive_max_pool1d")
def torch_adaptive_max_pool1d(input: Tensor, output_size: Any) -> Any:
    """``torch.adaptive_max_pool1d``, which returns indices too."""
    return adaptive_max_pool1d(input, output_size, True)


for dims, function in ((1, adaptive_max_pool1d), (2, adaptive_max_pool2d), (3, adaptive_max_pool3d)):
    composite(at="functional", name=f"adaptive_max_pool{dims}d_with_indices")(
        lambda input, output_size, return_indices=True, function=function: function(input, output_size, True)
    )


# ── fractional ───────────────────────────────────────────────────────────────────────────────────────────────────────


def intervals(sample: float, size: int, out: int, kernel: int) -> list[tuple[int, int]]:
    """Where ``out`` windows begin and end, at pseudo-random distances given by one number."""
    starts = []
    if out > 1:
        alpha = (size - kernel) / (out - 1)
        starts = [int((i + sample) * alpha) - int(sample * alpha) for i in range(out - 1)]
    if out > 0:
        starts.append(size - kernel)
    return [(start, start + kernel) for start in starts]


def fractional(dims: int) -> Any:
    """Declares ``fractional_max_pool2d`` or ``…3d``."""
    back, _ = picking(f"fractional_max_pool{dims}d", dims, f"FractionalMaxPool{dims}D")

    @operator(
        at="internal",
        name=f"fractional_max_pool{dims}d",
        grad_fn=f"FractionalMaxPool{dims}DBackward0",
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
            spans = [
                intervals(float(order[d]), batch.shape[2 + d], output_size[d], kernel_size[d]) for d in range(dims)
            ]
            values[n, c], indices[n, c] = largest_in_regions(batch[n, c], spans)
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


# ── unpooling ────────────────────────────────────────────────────────────────────────────────────────────────────────


def unpool(dims: int) -> Any:
    """Declares ``max_unpool2d`` or ``…3d``."""

    @operator(
        at="internal",
        name=f"max_unpool{dims}d",
        grad_fn=f"MaxUnpool{dims}DBackward0",
        formula="x back at its places",
        saves="indices",
        self=lambda grad, indices: again(grad, indices),
    )
    def forward(self: Any, indices: Any, output_size: Sizes) -> Any:
        """Puts each value back where pooling found it, zeros elsewhere; its gradient is read there."""
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
                f"{'x'.join(map(str, output_size))}"
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


def unpool_size(input: Tensor, kernel: Sizes, stride: Sizes, padding: Sizes, output_size: Any) -> Sizes:
    """The size that pooling started from.

    Raises:
        ValueError: a given size too far from it.
    """
    dims = len(kernel)
    default = tuple(
        (n - 1) * s + k - 2 * p for n, k, s, p in zip(input.shape[-dims:], kernel, stride, padding, strict=True)
    )
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
    name = f"max_unpool{dims}d"
    kernel = pool_sizes(kernel_size, dims, name, "kernel_size")
    step = kernel if stride is None else pool_sizes(stride, dims, name, "stride")
    size = unpool_size(input, kernel, step, pool_sizes(padding, dims, name, "padding"), output_size)
    if dims > 1:
        return UNPOOL[dims](input, indices, size)
    return UNPOOL[2](input.unsqueeze(-1), indices.unsqueeze(-1), (*size, 1)).squeeze(-1)


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
