"""Numerical integration and differentiation: trapezoid, cumulative_trapezoid, gradient.

The order in which terms are computed decides which node runs first in backward. PyTorch's compiler takes them from right to
left, so do these.
"""

from __future__ import annotations

from typing import Any

from engine.ops.core.declare import composite
from engine.ops.core.dimension import wrapped_all, wrapped_of_some
from engine.ops.layout.joining import cat
from engine.ops.pointwise.arithmetic import mul_number
from engine.ops.pointwise.division import div_number
from engine.ops.reduction.cumulative import part
from engine.tensor import Tensor


def widths(y: Tensor, x: Tensor, dim: int) -> Tensor:
    """The steps between sample points, shaped to go with ``y``'s."""
    points = x
    if x.ndim == 1 and y.ndim != 1:
        shape = [1] * y.ndim
        shape[dim] = x.shape[0]
        points = x.view(*shape)
        return climb(points, dim, (0, -1), (1, None))
    if x.ndim < y.ndim or x.ndim == 1:
        points = x.view(*([1] * (y.ndim - x.ndim)), *x.shape)
    return climb(points, dim, (0, -1), (1, None))


def one_point_each(y: Tensor, x: Tensor, axis: int, name: str) -> None:
    """Raises RuntimeError: there are not as many points as samples."""
    if x.ndim == 1 and x.shape[0] != y.shape[axis]:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")


def nothing_below(y: Tensor, axis: int) -> Tensor:
    """The area under no samples; PyTorch fills it with zeros where the version is counted."""
    area: Tensor = y.new_zeros([n for d, n in enumerate(y.shape) if d != axis])
    area._touch()
    return area


@composite(at="torch", aliases="trapz")
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The area under samples, by trapezoids of width ``dx`` or between the points ``x``."""
    if x is None:
        width = 1.0 if dx is None else float(dx)
        axis = wrapped_of_some(dim, y.ndim)
        if not y.shape[axis]:
            return nothing_below(y, axis)
        last = y.select(dim, -1)
        ends = mul_number(y.select(dim, 0) + last, 0.5)
        return mul_number(y.sum(dim) - ends, width)
    axis = wrapped_of_some(dim if y.ndim else 0, y.ndim)
    if not y.shape[axis]:
        return nothing_below(y, axis)
    one_point_each(y, x, axis, "trapezoid")
    steps = widths(y, x, axis)
    both = part(y, axis, 0, -1) + part(y, axis, 1, None)
    return div_number((both * steps).sum(axis), 2.0)


@composite(at="torch")
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The running area under samples.

    Raises:
        IndexError: no dimension.
    """
    if not y.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if x is None:
        width = 1.0 if dx is None else float(dx)
        both = part(y, dim, 0, -1) + part(y, dim, 1, None)
        return mul_number(both, width / 2.0).cumsum(dim)
    axis = wrapped_of_some(dim, y.ndim)
    one_point_each(y, x, axis, "cumulative_trapezoid")
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
                "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to "
                f"have the same length, but got a spacing argument of length {len(spacings)} and a dim argument of "
                f"length {len(dims)}."
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
    centre = div_number(climb(self, dim, (0, -2), (2, None)), width)
    if edge_order == 1:
        first = climb(self, dim, (0, 1), (1, 2))
    else:
        third = mul_number(part(self, dim, 2, 3), 0.5)
        second = mul_number(part(self, dim, 1, 2), 2)
        first = mul_number(part(self, dim, 0, 1), -1.5) + second - third
    first = div_number(first, width)
    if edge_order == 1:
        last = climb(self, dim, (-2, -1), (-1, None))
    else:
        third = mul_number(part(self, dim, -1, None), 1.5)
        second = mul_number(part(self, dim, -2, -1), 2)
        last = mul_number(part(self, dim, -3, -2), 0.5) - second + third
    last = div_number(last, width)
    return cat([first, div_number(centre, 2), last], dim)


def climb(self: Tensor, dim: int, low: tuple[int, int | None], high: tuple[int, int | None]) -> Tensor:
    """How much higher one part (start, end) lies than another."""
    below = part(self, dim, *low)
    return part(self, dim, *high) - below


def weighted(self: Tensor, dim: int, *terms: tuple[Tensor, int, int | None]) -> Tensor:
    """The sum of parts (factor, start, end)."""
    first, second, third = [factor * part(self, dim, start, end) for factor, start, end in reversed(terms)][::-1]
    return first + second + third


def by_points(self: Tensor, points: Tensor, dim: int, edge_order: int) -> Tensor:
    """Samples at given points: the parabola through three neighbours, or the line through two at the edges."""
    steps = points[1:] - points[:-1]
    shape = [1] * self.ndim
    shape[dim] = -1
    before, after = steps[:-1].reshape(shape), steps[1:].reshape(shape)
    a = -after / (before * (before + after))
    b = (after - before) / (before * after)
    c = before / (after * (before + after))
    centre = weighted(self, dim, (a, 0, -2), (b, 1, -1), (c, 2, None))
    if edge_order == 1:
        first = climb(self, dim, (0, 1), (1, 2)) / steps[0]
        last = climb(self, dim, (-2, -1), (-1, None)) / steps[-1]
        return cat([first, centre, last], dim)
    near, far = steps[0], steps[1]
    a, b, c = -(2 * near + far) / (near * (near + far)), (near + far) / (near * far), -near / (far * (near + far))
    first = weighted(self, dim, (a, 0, 1), (b, 1, 2), (c, 2, 3))
    far, near = steps[-2], steps[-1]
    a, b, c = near / (far * (far + near)), -(near + far) / (far * near), (2 * near + far) / (near * (far + near))
    last = weighted(self, dim, (a, -3, -2), (b, -2, -1), (c, -1, None))
    return cat([first, centre, last], dim)
