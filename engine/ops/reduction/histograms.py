"""How many fall in each bin. Counts have no slope."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.core.results import result_type
from engine.ops.core.unimplemented import unimplemented
from engine.tensor import Tensor, wrap


@operator(formula="how many fall in each bin")
def histc(self: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """How many values fall in each of the equal bins between ``min`` and ``max``. A count has no slope.

    Raises:
        RuntimeError: no bins, or bounds that are not finite or the wrong way round.
        NotImplementedError: no floats.
    """
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if self.dtype.kind != "f":
        kernel = "linspace_cpu" if self.dtype.kind == "b" else "histogram_cpu"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_type(self)}'")
    flat = np.asarray(self, np.float64).ravel()
    low, high = float(min), float(max)
    if low == high and flat.size:
        low, high = float(flat.min()), float(flat.max())
    if low == high:
        low, high = low - 1, high + 1
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"range of [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError("max must be larger than min")
    inside = flat[(flat >= low) & (flat <= high)]
    place = np.minimum(((inside - low) * bins / (high - low)).astype(np.int64), bins - 1)
    return np.bincount(place, minlength=bins).astype(self.dtype)


def outer_edges(values: Any, dim: int, asked: Any) -> tuple[float, float]:
    """Where the bins begin and end along one coordinate; never the same place.

    Raises:
        RuntimeError: the range is not finite, or the wrong way round.
    """
    if asked is not None:
        low, high = float(asked[0]), float(asked[1])
        if low > high:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {dim}"
            )
    else:
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def counted(points: Any, edges: list[Any], weights: Any, density: bool) -> Any:
    """Counts (or weights) by cell; a value belongs to the last bin whose left edge is not beyond it.

    Args:
        points: (n, d) coordinates.
        edges: the d rows of bin edges.
    """
    shape = tuple(len(e) - 1 for e in edges)
    kept = np.ones(len(points), np.bool_)
    places = []
    for d, row in enumerate(edges):
        values = points[:, d]
        kept &= (values >= row[0]) & (values <= row[-1])
        places.append(np.minimum(np.searchsorted(row, values, side="right") - 1, len(row) - 2))
    found = np.zeros(shape, np.float64)
    chosen = tuple(place[kept] for place in places)
    np.add.at(found, chosen, 1.0 if weights is None else weights[kept])
    if density:
        found = found / found.sum()
        for d, row in enumerate(edges):
            found = found / np.diff(row).reshape([-1 if d == k else 1 for k in range(len(edges))])
    return found


def edges_of(bins: Any, values: Any, dim: int, asked: Any, dtype: Any) -> Any:
    """One row of bin edges: as given, or evenly spaced."""
    if hasattr(bins, "dtype"):
        return bins
    low, high = outer_edges(values, dim, asked)
    return np.linspace(low, high, bins + 1).astype(dtype)


@operator(
    outputs="hist bin_edges",
    formula="how many fall in each bin",
    grad_fn="NotImplemented",
    **unimplemented("histogram", "self bins weight"),
)
def histogram(self: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """How many values (or what weight) fall in each bin, and the bins' edges. PyTorch gives it no derivative."""
    flat = np.asarray(self).ravel()
    edges = edges_of(bins, flat, 0, range, self.dtype)
    weights = None if weight is None else np.asarray(weight).ravel()
    return counted(flat[:, None], [edges], weights, density).astype(self.dtype), edges


@composite(at="torch")
def histogramdd(self: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: bool = False) -> Any:
    """`histogram` in several dimensions: the last dimension of ``self`` are the coordinates.

    Raises:
        RuntimeError: there are not as many bins as coordinates.
    """
    array = self._array
    points = np.asarray(array).reshape(math.prod(array.shape[:-1]), array.shape[-1])
    counts = [bins] * points.shape[1] if isinstance(bins, int) else list(bins)
    if len(counts) != points.shape[1]:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    edges = [
        edges_of(
            count._array if isinstance(count, Tensor) else count,
            points[:, d],
            d,
            None if range is None else range[2 * d : 2 * d + 2],
            array.dtype,
        )
        for d, count in enumerate(counts)
    ]
    weights = None if weight is None else np.asarray(weight._array).ravel()
    made = result_type("histogramdd", ("hist", "bin_edges"))
    assert made is not None
    return made((wrap(counted(points, edges, weights, density).astype(array.dtype)), tuple(wrap(e) for e in edges)))
