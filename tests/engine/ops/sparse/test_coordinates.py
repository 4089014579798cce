"""Lists of places and values on their own."""

from __future__ import annotations

import numpy as np
import pytest

from engine.ops.sparse.compressed import compress
from engine.ops.sparse.coordinates import Coordinates, coordinates_of, flat_places, from_dense, nothing
from engine.ops.sparse.sums import merged


def test_places_are_counted_row_by_row_and_back() -> None:
    indices = np.array([[0, 1, 1], [2, 0, 2]])
    assert flat_places(indices, (2, 3)).tolist() == [2, 3, 5]
    assert coordinates_of(np.array([2, 3, 5]), (2, 3)).tolist() == indices.tolist()
    assert coordinates_of(np.array([0]), ()).shape == (0, 1)


def test_values_at_one_place_add_up_in_order_of_places() -> None:
    one = Coordinates(np.array([[1, 0, 1]]), np.array([[1.0], [2.0], [4.0]]), (2, 1)).coalesce()
    assert (one.indices.tolist(), one.values.tolist(), one.coalesced) == ([[0, 1]], [[2.0], [5.0]], True)
    assert one.coalesce() is one


def test_booleans_at_one_place_stay_booleans() -> None:
    one = Coordinates(np.array([[0, 0]]), np.array([True, True]), (1,)).coalesce()
    assert one.values.tolist() == [True]
    assert one.values.dtype == bool


@pytest.mark.parametrize("sparse_dim", [0, 1, 2])
def test_dense_arrays_come_back_whole(sparse_dim: int) -> None:
    whole = np.array([[0.0, 1.5], [0.0, 0.0], [-2.0, 3.0]])
    assert from_dense(whole, sparse_dim).dense().tolist() == whole.tolist()


def test_rows_and_columns_hold_the_same() -> None:
    whole = np.array([[0.0, 1.5, 0.0], [0.0, 0.0, 0.0], [-2.0, 3.0, 1.0]])
    rows, columns = (compress(from_dense(whole, 2), by_row=by_row) for by_row in (True, False))
    assert (rows.starts.tolist(), rows.others.tolist()) == ([0, 1, 1, 4], [1, 0, 1, 2])
    assert (columns.starts.tolist(), columns.others.tolist()) == ([0, 1, 3, 4], [2, 0, 2, 2])
    assert rows.dense().tolist() == columns.dense().tolist() == columns.transposed().dense().T.tolist()


def test_lists_in_order_are_merged_into_one_in_order() -> None:
    one, two = merged(np.array([0, 2, 5]), np.array([2, 3]))
    assert (one.tolist(), two.tolist()) == ([0, 1, 3], [1, 2])


def test_lists_out_of_order_are_merged_as_far_as_they_go() -> None:
    one, two = merged(np.array([0, 1]), np.array([2, 1]))
    assert (one.tolist(), two.tolist()) == ([0, 1], [2, 3])


def test_numpy_may_not_compute_with_one() -> None:
    empty = nothing((2, 2), np.float32, 2)
    with pytest.raises(TypeError, match="can't convert Sparse layout tensor to numpy"):
        np.asarray(empty)
    with pytest.raises(NotImplementedError, match="Could not run 'aten::exp' with arguments from the 'SparseCPU'"):
        np.exp(empty)
    with pytest.raises(NotImplementedError, match="Could not run 'aten::clip'"):
        np.clip(empty, 0, 1)
