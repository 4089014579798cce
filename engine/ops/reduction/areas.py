"""Numerical integration and differentiation: trapezoid, cumulative_trapezoid, gradient."""

from __future__ import annotations

from typing import Any

from engine.ops.core.declare import composite
from engine.ops.core.dimension import wrapped, wrapped_all
from engine.ops.layout.joining import cat
from engine.ops.pointwise.arithmetic import mul_number
from engine.ops.pointwise.division import div_number
from engine.ops.reduction.cumulative import part
from engine.tensor import Tensor


def widths(y: Tensor, x: Tensor, dim: int) -> Tensor:
    """The steps between sample points, shaped to go with ``y``'s.

    Raises:
        RuntimeError: there are not as many points as samples.
    """
    points = x
    if x.ndim == 1 and y.ndim != 1:
        if x.shape[0] != y.shape[dim]:
            raise RuntimeError("trapezoid: There must be one `x` value for each sample point")
        shape = [1] * y.ndim
        shape[dim] = x.shape[0]
        points = x.view(*shape)
        return part(points, dim, 1, None) - part(points, dim, 0, -1)
    if x.ndim < y.ndim or x.ndim == 1:
        points = x.view(*([1] * (y.ndim - x.ndim)), *x.shape)
    return part(points, dim, 1, None) - part(points, dim, 0, -1)


@composite(at="torch", aliases="trapz")
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The area under samples, by trapezoids of width ``dx`` or between the points ``x``."""
    if x is None:
        width = 1.0 if dx is None else float(dx)
        if not y.shape[dim]:
            return y.new_zeros([n for d, n in enumerate(y.shape) if d != wrapped(dim, y.ndim)])
        ends = y.select(dim, 0) + y.select(dim, -1)
        return mul_number(y.sum(dim) - mul_number(ends, 0.5), width)
    axis = wrapped(dim, y.ndim)
    if not y.shape[axis]:
        return y.new_zeros([n for d, n in enumerate(y.shape) if d != axis])
    steps = widths(y, x, axis)
    both = part(y, axis, 0, -1) + part(y, axis, 1, None)
    return div_number((both * steps).sum(axis), 2.0)


@composite(at="torch")
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The running area under samples."""
    if x is None:
        width = 1.0 if dx is None else float(dx)
        both = part(y, dim, 0, -1) + part(y, dim, 1, None)
        return mul_number(both, width / 2.0).cumsum(dim)
    axis = wrapped(dim, y.ndim)
    steps = widths(y, x, axis)
    both = part(y, axis, 0, -1) + part(y, axis, 1, None)
    return div_number((both * steps).cumsum(axis), 2.0)


@composite(at="torch")
def gradient(self: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The slope at each sample: central differences inside, one-sided ones at the edges.

    Raises:
        RuntimeError: wrong edge order, or spacings that do not match the dimensions.
    """
    dims = tuple(range(self.ndim)) if dim is None else wrapped_all(dim, self.ndim)
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    spacings = list(spacing) if isinstance(spacing, list | tuple) else [spacing] * len(dims)
    if len(spacings) != len(dims):
        raise RuntimeError(
            (
                "torch.gradient expected spacing to be unspecified, a scalar or a list of length equal to "
                f"'self.dim() = {self.ndim}', "
                f"since dim argument was not given, but got a list of length {len(spacings)}"
            )
            if dim is None
            else (
                "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments "
                "to have the same "
                f"length, but got a spacing argument of length {len(spacings)} and a dim argument of length "
                f"{len(dims)}."
            )
        )
    for d in dims:
        if self.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple(
        by_points(self, step, d, edge_order)
        if isinstance(step, Tensor) and step.ndim
        else by_step(self, step, d, edge_order)
        for d, step in zip(dims, spacings, strict=True)
    )


def by_step(self: Tensor, step: Any, dim: int, edge_order: int) -> Tensor:
    """Evenly spaced samples."""
    width: Any = step.item() if isinstance(step, Tensor) else 1.0 if step is None else step
    if edge_order == 1:
        first = part(self, dim, 1, 2) - part(self, dim, 0, 1)
        last = part(self, dim, -1, None) - part(self, dim, -2, -1)
    else:
        first = (
            mul_number(part(self, dim, 0, 1), -1.5)
            + mul_number(part(self, dim, 1, 2), 2)
            - mul_number(part(self, dim, 2, 3), 0.5)
        )
        last = (
            mul_number(part(self, dim, -3, -2), 0.5)
            - mul_number(part(self, dim, -2, -1), 2)
            + mul_number(part(self, dim, -1, None), 1.5)
        )
    centre = div_number(div_number(part(self, dim, 2, None) - part(self, dim, 0, -2), width), 2)
    return cat([div_number(first, width), centre, div_number(last, width)], dim)


def by_points(self: Tensor, points: Tensor, dim: int, edge_order: int) -> Tensor:
    """Samples at given points: the parabola through three neighbours, or the line through two at the edges."""
    steps = points[1:] - points[:-1]
    shape = [1] * self.ndim
    shape[dim] = -1
    before, after = steps[:-1].reshape(shape), steps[1:].reshape(shape)
    a = -after / (before * (before + after))
    b = (after - before) / (before * after)
    c = before / (after * (before + after))
    centre = a * part(self, dim, 0, -2) + b * part(self, dim, 1, -1) + c * part(self, dim, 2, None)
    if edge_order == 1:
        first = (part(self, dim, 1, 2) - part(self, dim, 0, 1)) / steps[0]
        last = (part(self, dim, -1, None) - part(self, dim, -2, -1)) / steps[-1]
        return cat([first, centre, last], dim)
    near, far = steps[0], steps[1]
    a, b, c = -(2 * near + far) / (near * (near + far)), (near + far) / (near * far), -near / (far * (near + far))
    first = a * part(self, dim, 0, 1) + b * part(self, dim, 1, 2) + c * part(self, dim, 2, 3)
    far, near = steps[-2], steps[-1]
    a, b, c = near / (far * (far + near)), -(near + far) / (far * near), (2 * near + far) / (near * (far + near))
    last = a * part(self, dim, -3, -2) + b * part(self, dim, -2, -1) + c * part(self, dim, -1, None)
    return cat([first, centre, last], dim)
