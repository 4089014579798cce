"""``segment_reduce``: sums, means, products and extremes of neighbouring stretches of a dimension (``SegmentReduce.cpp``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.ops.core.declare import operator
from engine.ops.core.dimension import wrapped
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.core.unimplemented import unimplemented
from engine.summation import in_turn

START = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}
"""What a reduction begins with if nothing is given, and what it makes of an empty segment but for the mean, which is NaN."""
SHORT = {"amax": "max", "amin": "min"}
COULD_BE_BETTER = "  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"


@operator(
    at="torch",
    formula="reduce(xᵢ … xⱼ)",
    saves="axis data initial lengths offsets reduce result",
    data=lambda grad, result, data, reduce, lengths, offsets, axis, initial: segment_reduce_backward(
        grad, result, data, reduce, lengths=lengths, offsets=offsets, axis=axis, initial=initial
    ),
)
def segment_reduce(
    data: Any,
    reduce: str,
    *,
    lengths: Any = None,
    indices: Any = None,
    offsets: Any = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Any:
    """Adds up, multiplies, averages or compares the elements of neighbouring stretches of a dimension.

    Raises:
        RuntimeError: an unknown reduction, or segments that do not go together with the data.
        NotImplementedError: whole numbers.
    """
    kind = SHORT.get(reduce, reduce)
    if kind not in START:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    axis = wrapped(axis, data.ndim)
    bounds = bounds_of(data, lengths, offsets, axis, unsafe)
    floats_only(data, "_segment_reduce_cpu")
    start = data.dtype.type(START[kind] if initial is None else initial)
    result = np.empty((*bounds.shape[:-1], bounds.shape[-1] - 1, *data.shape[axis + 1 :]), data.dtype)
    for place, stretch in segments(bounds):
        terms = np.concatenate([np.full((1, *data.shape[axis + 1 :]), start), data[stretch]])
        nothing = kind == "mean" and len(terms) == 1 and initial is None
        result[place] = np.nan if nothing else reduced(kind, terms)
    return result


def reduced(kind: str, terms: Any) -> Any:
    """One segment (1 + count, …), which begins with what the reduction starts from; one term after the other."""
    if kind in ("max", "min"):
        return (np.maximum if kind == "max" else np.minimum).reduce(terms)
    if kind == "prod":
        return np.multiply.accumulate(terms)[-1]
    total = in_turn(terms)
    return total if kind == "sum" else total / terms.dtype.type(max(len(terms) - 1, 1))


@operator(
    at="internal",
    name="_segment_reduce_backward",
    grad_fn="NotImplemented",
    **unimplemented("_segment_reduce_backward", "grad output data"),
)
def segment_reduce_backward(
    grad: Any,
    output: Any,
    data: Any,
    reduce: str,
    *,
    lengths: Any = None,
    offsets: Any = None,
    axis: int = 0,
    initial: Any = None,
) -> Any:
    """``segment_reduce``'s derivative as an operation of its own. PyTorch gives it no
    derivative.

    The gradient of an extreme is shared among those that equal it; but for a negative one, which each gets whole in PyTorch.
    """
    kind, axis = SHORT.get(reduce, reduce), wrapped(axis, data.ndim)
    slope = np.zeros_like(data)
    for place, stretch in segments(bounds_of(data, lengths, offsets, axis, True)):
        terms, whole = data[stretch], np.broadcast_to(grad[place], data[stretch].shape)
        if kind in ("max", "min"):
            equal = (terms == output[place]) | np.isnan(terms)
            shares = np.where(whole > 0, np.maximum(equal.sum(0), 1), 1)
            slope[stretch] = np.where(equal, whole / shares, 0)
        elif kind == "prod":
            start = data.dtype.type(1.0 if initial is None else initial)
            slope[stretch] = whole * products_of_others(terms, output[place], start)
        else:
            slope[stretch] = whole / (len(terms) if kind == "mean" else 1)
    return slope


def products_of_others(terms: Any, product: Any, start: Any) -> Any:
    """For each of (count, …) the product of all others and ``start``: divided out, and multiplied anew beside zero and NaN."""
    others = product / terms
    for number in range(len(terms)):
        anew = (terms[number] == 0) | np.isnan(terms[number])
        rest = np.multiply.reduce(np.delete(terms, number, 0)) * start
        others[number] = np.where(anew, rest, others[number])
    return others


def segments(bounds: Any) -> Iterator[tuple[Any, Any]]:
    """Of every segment its place in the result, and its stretch of the data."""
    for rows in np.ndindex(bounds.shape[:-1]):
        for number, (begin, end) in enumerate(zip(bounds[rows][:-1], bounds[rows][1:], strict=True)):
            yield (*rows, number), (*rows, slice(begin, end))


def bounds_of(data: Any, lengths: Any, offsets: Any, axis: int, unsafe: bool) -> Any:
    """Where segments (…, segments + 1) begin and end along ``axis``, the last dimension of what tells of them.

    Raises:
        RuntimeError: nothing tells of them, or they do not go together with the data.
        NotImplementedError: they are no whole numbers.
    """
    name, told = ("lengths", lengths) if offsets is None else ("offsets", offsets)
    if told is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if data.ndim < told.ndim:
        raise RuntimeError(f"Expected data.dim() >= {name}_value.dim() to be true, but got false.{COULD_BE_BETTER}")
    if axis != told.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}.")
    if told.dtype.kind not in "iu":
        floats = "Float" if told.dtype.itemsize == 4 else "Double"
        raise NotImplementedError(f"\"_segment_reduce_{name}_cpu_kernel1\" not implemented for '{floats}'")
    if offsets is not None:
        if (np.diff(offsets) < 0).any():
            raise RuntimeError(f"Expected segment_length >= 0 to be true, but got false.{COULD_BE_BETTER}")
        return offsets
    if not unsafe:
        check_lengths(lengths, data.shape[axis])
    return np.concatenate([np.zeros((*lengths.shape[:-1], 1), np.int64), np.cumsum(lengths, -1)], -1)


def check_lengths(lengths: Any, size: int) -> None:
    """Raises RuntimeError: a negative length, or lengths that do not add up to ``size``."""
    if not lengths.size:
        raise RuntimeError(
            "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
        )
    if lengths.min() < 0:
        raise RuntimeError("lengths contains negative value!")
    if (lengths.sum(-1) != size).any():
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe."
        )
