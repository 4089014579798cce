"""Element by element along one dimension: `gather` reads, `scatter` and its kin write. Each is the other's gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.late import Late
from engine.ops.core.declare import operator, overloaded
from engine.ops.core.dimension import wrapped
from engine.ops.core.refused_dtypes import reals_only
from engine.ops.layout.copies import blank
from engine.ops.selection.reductions_into import reduce_at, spread_reduction
from engine.ops.tensors.moves import storable
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.ops.sparse import rows as sparse_rows
else:
    sparse_rows = Late("engine.ops.sparse.rows")


def key_along(index: Any, dim: int) -> tuple[Any, ...]:
    """A numpy index that takes ``index`` along ``dim`` and each element's own place in the other dimensions."""
    shape = index.shape
    key: list[Any] = []
    for d, length in enumerate(shape):
        key.append(index if d == dim else np.arange(length).reshape([-1 if d == i else 1 for i in range(len(shape))]))
    return tuple(key)


def check_index(function: str, kind: str, self: Any, dim: int, index: Any, source: Any = None) -> None:
    """Raises RuntimeError: in PyTorch's words, for an index of another dtype, number of dimensions, size or range."""
    if not np.size(index):
        return
    if index.dtype.kind != "i":
        raise RuntimeError(f"{function}(): Expected dtype int32/int64 for index")
    if source is not None and not np.isscalar(source) and source.dtype != self.dtype:
        raise RuntimeError(f"{function}(): Expected self.dtype to be equal to src.dtype")
    if max(np.ndim(index), 1) != max(np.ndim(self), 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {kind} tensor")
    shape, have = np.shape(np.atleast_1d(index)), np.shape(np.atleast_1d(self))
    reading = function == "gather"
    if source is not None and np.ndim(source) and np.ndim(source) != len(shape):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if any(n > m for d, (n, m) in enumerate(zip(shape, have, strict=True)) if d != dim):
        lead = (
            "Size does not match at dimension "
            f"{next(d for d in range(len(shape)) if d != dim and shape[d] > have[d])} expected index"
            if reading
            else "Expected index"
        )
        extra = (
            ""
            if source is None or not np.ndim(source)
            else f" and to be no larger size than src {list(np.shape(source))}"
        )
        raise RuntimeError(
            f"{lead} {list(shape)} to be no larger than self {list(have)} apart from dimension {dim}{extra}"
        )
    if source is not None and np.ndim(source) and any(n > m for n, m in zip(shape, np.shape(source), strict=True)):
        raise RuntimeError(
            f"Expected index {list(shape)} to be no larger than self {list(have)} apart from dimension {dim} and to "
            f"be no larger size than src {list(np.shape(source))}"
        )
    flat = np.ravel(index)
    wrong = (flat < 0) | (flat >= have[dim])
    if wrong.any():
        raise RuntimeError(f"index {flat[wrong][0]} is out of bounds for dimension {dim} with size {have[dim]}")


@operator(
    order="rows",
    formula="x[i]",
    saves="dim index self sparse_grad",
    self=lambda grad, self_shape, dim, index, sparse_grad: put_back(grad, self_shape, dim, index, sparse_grad),
)
def gather(self: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """Picks one element per index along a dimension; one picked several times adds up all their gradients."""
    place = wrapped(dim, np.ndim(self))
    check_index("gather", "input", self, place, index)
    if sparse_grad:
        sparse_rows.expect()
    if not np.size(index):
        return np.empty(np.shape(index), self.dtype)
    picked = np.atleast_1d(self)[key_along(np.atleast_1d(index), place)]
    return picked.reshape(np.shape(index))


def put_back(grad: Tensor, shape: tuple[int, ...], dim: int, index: Tensor, sparse: bool) -> Tensor:
    """Every slope at the place from which its number was picked; only these places are stored, if that was asked for."""
    if sparse:
        return sparse_rows.gathered_places(grad, shape, dim, index)
    return blank(grad, shape).scatter_add(dim, index, grad)


def part_of(source: Any, index: Any) -> Any:
    """The part of a source that an index (which may be smaller) covers."""
    return np.atleast_1d(source)[tuple(slice(n) for n in np.shape(np.atleast_1d(index)))]


def written(self: Any, dim: int, index: Any, source: Any, how: str | None, include_self: bool = True) -> Any:
    """A copy of ``self`` with a source (or a number) written or reduced into the places of an index."""
    place = wrapped(dim, np.ndim(self))
    array, flat_index = np.atleast_1d(self), np.atleast_1d(index)
    if not np.size(index):
        return np.array(self)
    key = key_along(flat_index, place)
    values = (
        part_of(source, index) if np.ndim(source) or (np.ndim(self) == 0 and hasattr(source, "reshape")) else source
    )
    if how is not None:
        return reduce_at(array, key, values, how, include_self).reshape(np.shape(self))
    result = np.array(array)
    result[key] = values
    return result.reshape(np.shape(self))


@operator(
    order="rows",
    at="internal",
    name="scatter",
    formula="x, x[i] ← s",
    self=lambda grad, dim, index: scatter(grad, dim, index, 0),
    src=lambda grad, dim, index: gather(grad, dim, index),
)
def scatter_source(self: Any, dim: int, index: Any, src: Any) -> Any:
    """Writes a source's elements to indexed places; each gets the gradient of its place, what was overwritten gets
    zero.
    """
    check_index("scatter", "self", self, wrapped(dim, np.ndim(self)), index, src)
    return written(self, dim, index, src, None)


@operator(
    order="rows",
    at="internal",
    name="scatter",
    grad_fn="ScatterBackward1",
    formula="x, x[i] ← c",
    self=lambda grad, dim, index: scatter(grad, dim, index, 0),
)
def scatter_number(self: Any, dim: int, index: Any, value: Any) -> Any:
    """Writes a number to indexed places along a dimension; what was overwritten gets zero."""
    check_index("scatter", "self", self, wrapped(dim, np.ndim(self)), index)
    return written(self, dim, index, value, None)


@operator(order="rows", at="internal", name="scatter", grad_fn="ScatterBackward2")
def scatter_reducing(self: Any, dim: int, index: Any, src: Any, reduce: str) -> Any:
    """Adds or multiplies into indexed places; this old form has no derivative (`scatter_reduce` has).

    Raises:
        RuntimeError: an unknown reduction.
    """
    if reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    check_index("scatter", "self", self, wrapped(dim, np.ndim(self)), index, src if np.ndim(src) else None)
    return written(self, dim, index, src, {"add": "sum", "multiply": "prod"}[reduce])


@overloaded(inplace=True)
def scatter(
    self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None
) -> tuple[Any, ...]:
    """A source's elements, or one number, written to indexed places.

    Raises:
        TypeError: for a source that is neither a tensor nor a number.
    """
    source = value if src is None else src
    chosen: Any = scatter_source
    if not isinstance(source, Tensor):
        if source is None or isinstance(source, str):
            raise TypeError(
                "scatter() received an invalid combination of arguments - got (int, Tensor, "
                f"{type(source).__name__}), but expected "
                "(int dim, Tensor index, Tensor src) or (int dim, Tensor index, Number value)"
            )
        chosen, source = scatter_number, storable(self, source)
    return (
        (chosen, self, dim, index, source) if reduce is None else (scatter_reducing, self, dim, index, source, reduce)
    )


@operator(
    needs_tensors="self index src",
    order="rows",
    inplace=True,
    formula="x, x[i] + s",
    self=lambda grad: grad,
    src=lambda grad, dim, index: gather(grad, dim, index),
)
def scatter_add(self: Any, dim: int, index: Any, src: Any) -> Any:
    """Adds a source's elements into indexed places along a dimension; each gets the gradient of its place."""
    check_index("scatter", "self", self, wrapped(dim, np.ndim(self)), index, src)
    return written(self, dim, index, src, "sum")


@operator(
    order="rows",
    inplace=True,
    formula="x, x[i] ∘ s",
    saves="dim include_self index reduce result self src",
    differentiable="self src",
    joint=lambda grad, self, dim, index, src, reduce, include_self, result: spread_reduction(
        grad, self, src, result, reduce, include_self, Elements(dim, index)
    ),
)
def scatter_reduce(self: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    """Sums, multiplies, averages or compares a source's elements into indexed places along a dimension.

    Raises:
        RuntimeError: an unknown reduction.
        NotImplementedError: the largest or smallest of complex numbers.
    """
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if reduce in ("amax", "amin"):
        reals_only(self, f"scatter_gather_tensor_cpu_reduce_{reduce}")
    check_index("scatter", "self", self, wrapped(dim, np.ndim(self)), index, src)
    return written(self, dim, index, src, reduce, include_self)


class Elements:
    """How `scatter_reduce`'s gradient reads and writes: element by element."""

    words = ("scatter_reduce", "src")

    def __init__(self, dim: int, index: Tensor) -> None:
        self.dim, self.index = dim, index

    def read(self, tensor: Tensor) -> Tensor:
        """The elements that each source element went to."""
        return gather(tensor, self.dim, self.index)

    def add(self, tensor: Tensor, source: Tensor) -> Tensor:
        """``source`` added into a copy of ``tensor``."""
        return scatter_add(tensor, self.dim, self.index, source)

    def fill(self, tensor: Tensor, value: Any) -> Tensor:
        """A copy with one value at the places written to."""
        return scatter(tensor, self.dim, self.index, value)

    def reduce(self, tensor: Tensor, source: Tensor, how: str, include_self: bool) -> Tensor:
        """The reduction itself."""
        return scatter_reduce(tensor, self.dim, self.index, source, how, include_self=include_self)
