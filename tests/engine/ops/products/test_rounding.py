"""The order of additions in small products of float32 is the one that was read off PyTorch's BLAS."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.ops.products.rounding import batched_product, inner_product, matrix_product, vector_product

SWALLOWING = np.float32(2.0**30)
"""Its square swallows ones: what was added before it was cancelled is lost."""


def added_after(rows: int, columns: int, depth: int, transposed: str, first: int, second: int) -> Any:
    """How many of a row of ones come after both of two large terms of opposite sign: their place in the tree of additions."""
    a, b = np.ones((rows, depth), np.float32), np.ones((depth, columns), np.float32)
    a[:, first], a[:, second], b[first], b[second] = SWALLOWING, -SWALLOWING, SWALLOWING, SWALLOWING
    a = np.asfortranarray(a) if "a" in transposed else a
    b = np.asfortranarray(b) if "b" in transposed else b
    return matrix_product(a, b)


# (rows, columns, depth, which factors are transposed, two places) and what PyTorch 2.13.0 gives (ATEN_CPU_CAPABILITY=avx2).
TREES: list[tuple[tuple[int, int, int, str, int, int], list[list[int]]]] = [
    ((2, 3, 5, "", 1, 3), [[1, 1, 1]] * 2),
    ((1, 4, 7, "", 2, 5), [[1, 1, 1, 1]]),
    ((4, 5, 9, "", 4, 5), [[3] * 5] * 3 + [[7, 3, 3, 3, 3]]),
    ((3, 7, 17, "a", 4, 6), [[10] * 7, [14] + [10] * 6, [14, 14] + [10] * 5]),
    ((5, 5, 12, "a b", 2, 9), [[2] * 5] * 5),
    ((4, 5, 9, "b", 0, 4), [[7] * 5, [2, 2, 2, 2, 4], [5, 5, 5, 5, 4], [0] * 5]),
    ((3, 2, 20, "b", 0, 8), [[18, 18]] * 3),
    ((5, 1, 13, "", 2, 6), [[11]] * 4 + [[5]]),
    ((6, 1, 32, "", 4, 8), [[26]] * 4 + [[22], [26]]),
    ((1, 6, 21, "b", 1, 5), [[18, 18, 18, 18, 1, 1]]),
    ((6, 17, 9, "b", 2, 6), [[2] * 17] * 4 + [[7] * 17, [2] * 17]),
    ((11, 12, 18, "b", 2, 6), [[11] * 12] * 8 + [[16] * 12, [14] * 12, [16] * 12]),
]


@pytest.mark.parametrize(("asked", "expected"), TREES)
def test_terms_meet_in_pytorchs_order(asked: Any, expected: list[list[int]]) -> None:
    assert added_after(*asked).tolist() == expected


# As above, with the number of matrices first. Rows of a stack go on where those of the matrix before ended.
STACKS: list[tuple[tuple[int, int, int, int, str, int, int], list[list[int]]]] = [
    ((2, 5, 9, 9, "", 4, 5), [[7] * ahead + [3] * (9 - ahead) for ahead in (0, 3, 2, 1, 0, 3, 2, 1, 0, 3)]),
    ((3, 4, 10, 12, "", 2, 6), [[5] * 10, [4] * 2 + [5] * 8] * 6),
    ((2, 10, 5, 12, "b", 2, 9), [[0, 0, 0, 0, 2]] * 20),
    ((2, 6, 9, 11, "b", 0, 8), [[value] * 9 for value in (2, 2, 5, 0, 2, 2, 5, 0, 2, 2, 5, 0)]),
    ((2, 9, 7, 17, "a b", 3, 4), [[12] * 7] * 18),
]


@pytest.mark.parametrize(("asked", "expected"), STACKS)
def test_terms_of_stacked_matrices_meet_in_pytorchs_order(asked: Any, expected: list[list[int]]) -> None:
    stack, rows, columns, depth, transposed, first, second = asked
    a, b = np.ones((stack, rows, depth), np.float32), np.ones((stack, depth, columns), np.float32)
    a[..., first], a[..., second], b[:, first], b[:, second] = SWALLOWING, -SWALLOWING, SWALLOWING, SWALLOWING
    a = a.swapaxes(1, 2).copy().swapaxes(1, 2) if "a" in transposed else a
    b = b.swapaxes(1, 2).copy().swapaxes(1, 2) if "b" in transposed else b
    assert batched_product(a, b).reshape(-1, columns).tolist() == expected


@pytest.mark.parametrize(
    ("depth", "first", "second", "as_a_row", "as_a_column"), [(13, 0, 8, 7, 4), (21, 2, 9, 1, 11), (40, 4, 17, 4, 22)]
)
def test_a_lone_result_goes_by_whether_the_second_factor_lies_as_a_row(
    depth: int, first: int, second: int, as_a_row: int, as_a_column: int
) -> None:
    """As a layer with one output multiplies by its transposed weight, and as a matrix with one column."""
    a, row = np.ones((1, depth), np.float32), np.ones((1, depth), np.float32)
    a[:, first], a[:, second] = SWALLOWING, -SWALLOWING
    row[:, [first, second]] = SWALLOWING
    assert matrix_product(a, row.T).tolist() == [[as_a_row]]
    assert vector_product(a, row[0]).tolist() == [as_a_row]
    assert matrix_product(a, row.reshape(depth, 1)).tolist() == [[as_a_column]]


def test_what_addmm_adds_comes_first_where_the_kernel_begins_with_it() -> None:
    """Added last, it finds that the large term has swallowed the ones."""
    a, b, start = np.ones((2, 3), np.float32), np.ones((3, 2), np.float32), np.array([SWALLOWING, 0], np.float32)
    b[0, 0] = -SWALLOWING
    assert matrix_product(a, b, start).tolist() == [[2, 3]] * 2
    assert matrix_product(np.asfortranarray(a), np.asfortranarray(b), start).tolist() == [[0, 3]] * 2


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, 2), (5, 3), (30, 1)])
def test_no_sum_is_minus_zero_but_a_lone_product_may_be(shape: tuple[int, int]) -> None:
    rows, depth = shape
    product = matrix_product(np.zeros((rows, depth), np.float32), -np.ones((depth, 4), np.float32))
    assert set(np.signbit(product).ravel().tolist()) == {rows > 1 and depth == 1}


def test_stacks_of_small_matrices_are_multiplied_term_by_term() -> None:
    a, b = np.ones((2, 3, 9), np.float32), np.ones((2, 9, 3), np.float32)
    a[..., 4], a[..., 5], b[:, 4:6] = SWALLOWING, -SWALLOWING, SWALLOWING
    assert (batched_product(a, b) == 3).all()


def test_a_dot_product_has_four_accumulators_of_four_lanes() -> None:
    """In PyTorch, too: after the terms 0 and 16 have met, all but the other terms of lane 0 are still to come."""
    a, b = np.ones(40, np.float32), np.ones(40, np.float32)
    a[0], b[0], a[16], b[16] = SWALLOWING, SWALLOWING, -SWALLOWING, SWALLOWING
    assert inner_product(a, b) == 38
    a[16], a[4], b[4], b[16] = 1, -SWALLOWING, SWALLOWING, 1
    assert inner_product(a, b) == 34


@pytest.mark.parametrize("depth", [1, 2, 7, 192, 193, 400])
def test_every_way_gives_the_product(depth: int) -> None:
    random = np.random.default_rng(depth)
    for rows in (1, 2, 5, 17):
        for columns in (1, 3, 6, 13):
            a, b = random.normal(size=(rows, depth)).astype("f"), random.normal(size=(depth, columns)).astype("f")
            exact = a.astype(float) @ b.astype(float)
            for one in (a, np.asfortranarray(a), a[:, ::-1][:, ::-1]):
                for other in (b, np.asfortranarray(b)):
                    np.testing.assert_allclose(matrix_product(one, other), exact, rtol=1e-4, atol=1e-4)
                    np.testing.assert_allclose(matrix_product(one, other, b[0]), exact + b[0], rtol=1e-4, atol=1e-4)
            stack = batched_product(np.stack([a, -a]), np.stack([b, b]))
            np.testing.assert_allclose(stack, [exact, -exact], rtol=1e-4, atol=1e-4)
