"""Softmax among what is stored: what is not stored counts as minus infinity, and stays out."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.errors import Explained
from engine.ops.core.declare import operator
from engine.ops.core.dimension import wrapped
from engine.ops.sparse.coordinates import Coordinates, like
from engine.ops.sparse.kernels import FAMILY
from engine.ops.sparse.scaling import at_places
from engine.tensor import Tensor


@operator(
    at="internal",
    name="_sparse_softmax",
    family=FAMILY,
    formula="eˣ ÷ Σ eˣ",
    saves="dim result self",
    self=lambda grad, result, dim: softmax_backward(grad, result, dim, False),
)
def stored_softmax(self: Any, dim: int) -> Any:
    """Turns what is stored along a dimension into shares of 1; each pulls the others down, and nothing else gets a gradient."""
    places = self.coalesce()
    return places.with_values(np.exp(logarithms(places, dim)).astype(places.dtype))


@operator(
    at="internal",
    name="_sparse_log_softmax",
    family=FAMILY,
    formula="x − log Σ eˣ",
    saves="dim result self",
    self=lambda grad, result, dim: softmax_backward(grad, result, dim, True),
)
def stored_log_softmax(self: Any, dim: int) -> Any:
    """The logarithms of the shares of 1 that stored values have along a dimension; each pulls the others down."""
    places = self.coalesce()
    return places.with_values(logarithms(places, dim).astype(places.dtype))


@operator(at="internal", name="_sparse_softmax_backward_data", family=FAMILY, formula="y·(g − Σ g·y)")
def softmax_backward(grad: Any, output: Any, dim: int, logarithmic: bool) -> Any:
    """The derivative of both at the places of the output; it has none of its own.

    Raises:
        RuntimeError: a dense gradient.
    """
    if not isinstance(grad, Coordinates):
        raise RuntimeError(
            Explained(
                "coalesce expected sparse coordinate tensor layout but got Strided",
                "The gradient of torch.sparse.softmax must be sparse: end with torch.sparse.sum(…) or .to_dense(), not with .sum().",
            )
        )
    arrived = at_places(grad, output.places())
    held = output.values
    if logarithmic:
        return output.with_values(arrived - np.exp(held) * totals(arrived, output, dim))
    return output.with_values(held * (arrived - totals(arrived * held, output, dim)))


def dense_axis(places: Coordinates, dim: int) -> int | None:
    """The axis of the values that is this dimension, if it is a dense one.

    Raises:
        IndexError: no such dimension.
    """
    dim = wrapped(dim, places.ndim)
    return None if dim < places.sparse_dim else dim - places.sparse_dim + 1


def groups(places: Coordinates, dim: int) -> np.ndarray:
    """A number for each stored row: those that differ only along ``dim`` have the same."""
    rest = [d for d in range(places.sparse_dim) if d != wrapped(dim, places.ndim)]
    lengths = tuple(places.shape[d] for d in rest)
    key = like(places, indices=places.indices[rest], shape=(*lengths, *places.dense_shape)).places()
    return np.unique(key, return_inverse=True)[1].reshape(-1)


def totals(values: np.ndarray, places: Coordinates, dim: int) -> np.ndarray:
    """For each value the sum along the dimension."""
    axis = dense_axis(places, dim)
    if axis is not None:
        return values.sum(axis=axis, keepdims=True)
    mine = groups(places, dim)
    sums = np.zeros((int(mine.max(initial=-1)) + 1, *values.shape[1:]), values.dtype)
    np.add.at(sums, mine, values)
    return sums[mine]


def logarithms(places: Coordinates, dim: int) -> np.ndarray:
    """``x − max − log Σ exp(x − max)`` along the dimension, in double precision."""
    values, axis = places.values.astype(np.float64), dense_axis(places, dim)
    if axis is not None:
        most = values.max(axis=axis, keepdims=True, initial=-np.inf)
    else:
        mine = groups(places, dim)
        peaks = np.full((int(mine.max(initial=-1)) + 1, *values.shape[1:]), -np.inf)
        np.maximum.at(peaks, mine, values)
        most = peaks[mine]
    lowered = values - most
    result: np.ndarray = lowered - np.log(totals(np.exp(lowered), places, dim))
    return result


def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """``torch.sparse.softmax``: shares of 1 among what is stored along ``dim``."""
    return stored_softmax(input if dtype is None else input.to(dtype), dim)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """``torch.sparse.log_softmax``: their logarithms."""
    return stored_log_softmax(input if dtype is None else input.to(dtype), dim)
