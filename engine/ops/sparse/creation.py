"""``torch.sparse_coo_tensor`` and its siblings for compressed rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.factories.factory import leaf
from engine.ops.sparse import invariants
from engine.ops.sparse.arrays import LAYOUT_NAMES
from engine.ops.sparse.blocks import Blocks
from engine.ops.sparse.compressed import Compressed
from engine.ops.sparse.coordinates import Coordinates, nothing
from engine.ops.sparse.kernels import FAMILY
from engine.placement import require_cpu, sparse_bsc, sparse_bsr, sparse_csc, sparse_csr
from engine.tensor import Tensor, wrap


@operator(
    at="internal",
    name="_sparse_coo_tensor_with_dims_and_tensors",
    family=FAMILY,
    formula="values at their places",
    saves="result",
    values=lambda grad, result: grad.sparse_mask(result)._values(),
)
def placed_values(indices: Any, values: Any, size: Any, coalesced: bool) -> Any:
    """Puts values at their places; each value gets the gradient of its place."""
    return Coordinates(indices.astype(np.int64, copy=False), values, size, coalesced)


@operator(
    at="internal",
    name="_sparse_compressed_tensor",
    family=FAMILY,
    formula="values at their places",
    saves="result values",
    values=lambda grad, result: grad.sparse_mask(result)._values(),
)
def lined_values(starts: Any, others: Any, values: Any, size: Any, by_row: bool, in_blocks: bool = False) -> Any:
    """Puts values in their rows or columns; each value gets the gradient of its place."""
    return (Blocks if in_blocks else Compressed)(starts, others, values, size, by_row)


def as_tensor(data: Any, dtype: Any = None) -> Tensor:
    """A tensor as it is (in another type, if one is asked for), anything else as ``torch.tensor`` reads it."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    made: Tensor = TABLES["torch"]["tensor"](data, dtype=dtype)
    return made


def recorded(values: Tensor) -> bool:
    """Whether what is made of these values has a place in the graph."""
    return values.requires_grad and modes.grad_enabled


@composite(at="torch")
def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Tensor:
    """Values (nnz, …) at places (sparse_dim, nnz); the size is as small as the places allow, unless it is given.

    Raises:
        RuntimeError: places, values and size that do not belong together.
    """
    require_cpu(device)
    if values is None:
        shape = tuple(size if size is not None else indices)
        array = nothing(shape, TABLES["torch"]["empty"](0, dtype=dtype)._array.dtype, len(shape))
        return leaf(array, "sparse_coo_tensor", requires_grad)
    given = as_tensor(values, dtype)
    places = as_tensor(indices)._array.astype(np.int64, copy=False)
    stored = np.asarray(given._array)
    invariants.check_two_dimensional(places, stored, size)
    invariants.check_counts(places, stored)
    shape = invariants.smallest_size(places, stored) if size is None else tuple(int(n) for n in size)
    invariants.check_dimensions(places, stored, shape)
    if invariants.wanted(check_invariants):
        invariants.check_places(places, shape)
    if is_coalesced:
        invariants.check_coalesced(places, shape)
    if recorded(given):
        where = indices if isinstance(indices, Tensor) else wrap(places)
        made: Tensor = placed_values(where, given, shape, bool(is_coalesced))
        return made
    return leaf(Coordinates(places, stored, shape, bool(is_coalesced)), "sparse_coo_tensor", requires_grad)


def compressed_tensor(
    function: str, starts: Any, others: Any, values: Any, size: Any, layout: Any, options: dict[str, Any]
) -> Tensor:
    """What the functions for compressed rows and columns, of values or of blocks, have in common.

    Raises:
        RuntimeError: bounds of lines that are no vector, or values that are no blocks.
    """
    by_row, in_blocks = layout in (sparse_csr, sparse_bsr), layout in (sparse_bsr, sparse_bsc)
    require_cpu(options["device"])
    given = as_tensor(values, options["dtype"])
    lines = np.asarray(as_tensor(starts)._array)
    across = np.asarray(as_tensor(others)._array)
    stored = np.asarray(given._array)
    if lines.ndim != 1:
        raise RuntimeError(f"{function}: a batch of matrices is not supported here: make one matrix at a time")
    if in_blocks and stored.ndim < 3:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (=0 + 2) but got {stored.ndim}"
        )
    block_rows, block_columns = stored.shape[1:3] if in_blocks else (1, 1)
    if size is None:
        width = int(across.max(initial=-1)) + 1
        rows, columns = (len(lines) - 1, width) if by_row else (width, len(lines) - 1)
        size = (rows * block_rows, columns * block_columns, *stored.shape[3 if in_blocks else 1 :])
    shape = tuple(int(n) for n in size)
    if invariants.wanted(options["check_invariants"]):
        counted = (shape[0] // max(block_rows, 1), shape[1] // max(block_columns, 1)) if in_blocks else shape
        invariants.check_lines(lines, across, stored, counted, by_row, " blocks" if in_blocks else "s")
    if recorded(given):
        made: Tensor = lined_values(as_tensor(starts), as_tensor(others), given, shape, by_row, in_blocks)
        return made
    kind = Blocks if in_blocks else Compressed
    return leaf(kind(lines, across, stored, shape, by_row), function, options["requires_grad"])


@composite(at="torch")
def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """A matrix row by row: where each row begins, the column of each value, and the values."""
    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "check_invariants": check_invariants}
    return compressed_tensor("sparse_csr_tensor", crow_indices, col_indices, values, size, sparse_csr, options)


@composite(at="torch")
def sparse_csc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """A matrix column by column: where each column begins, the row of each value, and the values."""
    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "check_invariants": check_invariants}
    return compressed_tensor("sparse_csc_tensor", ccol_indices, row_indices, values, size, sparse_csc, options)


@composite(at="torch")
def sparse_bsr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """A matrix of blocks row by row: where each row begins, the column of each block, and the blocks (nnz, rows, columns, …)."""
    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "check_invariants": check_invariants}
    return compressed_tensor("sparse_bsr_tensor", crow_indices, col_indices, values, size, sparse_bsr, options)


@composite(at="torch")
def sparse_bsc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """The same column by column."""
    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "check_invariants": check_invariants}
    return compressed_tensor("sparse_bsc_tensor", ccol_indices, row_indices, values, size, sparse_bsc, options)


@composite(at="torch")
def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """One of the four, as ``layout`` says.

    Raises:
        RuntimeError: any other layout.
    """
    if layout not in (sparse_csr, sparse_csc, sparse_bsr, sparse_bsc):
        got = "none" if layout is None else LAYOUT_NAMES[layout.name]
        raise RuntimeError(f"sparse_compressed_tensor expected sparse compressed tensor layout but got {got}")
    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "check_invariants": check_invariants}
    return compressed_tensor(
        "sparse_compressed_tensor", compressed_indices, plain_indices, values, size, layout, options
    )
