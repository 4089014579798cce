"""What must hold between places, values and size. Some of it is always checked, the rest only where it is asked for, as in PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.sparse.coordinates import flat_places
from engine.ops.tensors.switches import switches


class check_sparse_tensor_invariants:
    """``torch.sparse.check_sparse_tensor_invariants``: a switch, a context manager and a decorator in one."""

    def __init__(self, enable: bool = True) -> None:
        self.wanted = enable
        self.before: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Whether everything is checked."""
        return switches.sparse_invariants

    @staticmethod
    def enable() -> None:
        """Checks everything from now on."""
        switches.sparse_invariants = True

    @staticmethod
    def disable() -> None:
        """Checks only what costs little from now on."""
        switches.sparse_invariants = False

    def __enter__(self) -> None:
        self.before, switches.sparse_invariants = switches.sparse_invariants, self.wanted

    def __exit__(self, *exception: object) -> None:
        switches.sparse_invariants = bool(self.before)

    def __call__(self, function: Any) -> Any:
        """The function with the switch set while it runs."""

        def inside(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.wanted):
                return function(*args, **kwargs)

        return inside


check_sparse_tensor_invariants.__module__ = "torch.sparse"


def wanted(asked: bool | None) -> bool:
    """Whether this call checks everything."""
    return switches.sparse_invariants if asked is None else asked


def check_two_dimensional(places: np.ndarray, values: np.ndarray, size: Any) -> None:
    """A row for each dimension, a column for each value.

    Raises:
        RuntimeError: they are not.
    """
    if places.ndim != 2:
        if size is not None and places.ndim:
            check_number_of_dimensions(places.shape[0], values, tuple(size))
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")


def check_number_of_dimensions(sparse: int, values: np.ndarray, shape: tuple[int, ...]) -> None:
    """Sparse and dense dimensions make up the size.

    Raises:
        RuntimeError: they do not.
    """
    dense = max(values.ndim - 1, 0)
    if len(shape) != sparse + dense:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(shape)}, sparse_dim = {sparse}, "
            f"dense_dim = {dense}"
        )


def check_counts(places: np.ndarray, values: np.ndarray) -> None:
    """One value for each place.

    Raises:
        RuntimeError: PyTorch's "must have same nnz".
    """
    count = len(values) if values.ndim else 1
    if places.shape[1] != count:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {places.shape[1]}, nnz from values: {count}"
        )


def check_dimensions(places: np.ndarray, values: np.ndarray, shape: tuple[int, ...]) -> None:
    """The values' dense dimensions are those of the size.

    Raises:
        RuntimeError: they are not, or the size is negative.
    """
    sparse = places.shape[0]
    check_number_of_dimensions(sparse, values, shape)
    if any(length < 0 for length in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
    if values.shape[1:] != shape[sparse:]:
        expected = [places.shape[1], *shape[sparse:]]
        raise RuntimeError(f"values has incorrect size, expected {expected}, got {list(values.shape)}")


def smallest_size(places: np.ndarray, values: np.ndarray) -> tuple[int, ...]:
    """The size that the greatest places ask for.

    Raises:
        RuntimeError: a negative place.
    """
    if places.size and places.min() < 0:
        row = int(np.flatnonzero((places < 0).any(axis=1))[0])
        raise RuntimeError(f"found negative index {places[row].min()} for dim {row}")
    return (*(int(row.max(initial=-1)) + 1 for row in places), *values.shape[1:])


def check_places(places: np.ndarray, shape: tuple[int, ...]) -> None:
    """Every place lies inside.

    Raises:
        RuntimeError: one is negative, or beyond the size.
    """
    for dim, row in enumerate(places):
        if row.size and row.min() < 0:
            raise RuntimeError(f"found negative index {row.min()} for dim {dim}")
        if row.size and row.max() >= shape[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {shape[dim]} but found index {row.max()}"
            )


def check_coalesced(places: np.ndarray, shape: tuple[int, ...]) -> None:
    """Places in order, each once.

    Raises:
        RuntimeError: they are not, though it was said so.
    """
    if (np.diff(flat_places(places, shape[: places.shape[0]])) <= 0).any():
        raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")


def check_lines(
    starts: np.ndarray, others: np.ndarray, values: np.ndarray, shape: tuple[int, ...], by_row: bool, plural: str = "s"
) -> None:
    """What compressed rows (columns) must be like; ``shape`` is counted in blocks where there are any.

    Raises:
        RuntimeError: in the words of PyTorch's first condition that does not hold.
    """
    compressed, plain = ("crow_indices", "col_indices") if by_row else ("ccol_indices", "row_indices")
    lines, width = shape[:2] if by_row else shape[1::-1]
    if len(starts) != lines + 1:
        raise RuntimeError(
            f"{compressed}.shape[-1] must be equal to the number of {'row' if by_row else 'column'}{plural} + 1 (={lines + 1}), but got "
            f"{len(starts)}"
        )
    if len(values) != len(others):
        raise RuntimeError(
            f"{plain}.shape[-1] must be equal to nnz (={len(values)}) as defined by values.shape[0], but got {len(others)}"
        )
    if starts[0] != 0:
        raise RuntimeError(f"`{compressed}[..., 0] == 0` is not satisfied.")
    if starts[-1] != len(others):
        raise RuntimeError(f"`{compressed}[..., -1] == nnz` is not satisfied.")
    steps = np.diff(starts)
    if ((steps < 0) | (steps > width)).any():
        raise RuntimeError(
            f"`0 <= {compressed}[..., 1:] - {compressed}[..., :-1] <= {'ncols' if by_row else 'nrows'}` is not satisfied."
        )
    if others.size and (others.min() < 0 or others.max() >= width):
        raise RuntimeError(f"`0 <= {plain} < {'ncols' if by_row else 'nrows'}` is not satisfied.")
