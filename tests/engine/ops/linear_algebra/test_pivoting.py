"""Elimination with pivots of one or two rows: the factors multiply to the matrix, and solve with it."""

from __future__ import annotations

import numpy as np
import pytest

from engine.ops.linear_algebra.pivoting import block_at, eliminate, solved, starts


def symmetric(size: int, kind: str, hollow: bool) -> np.ndarray:
    """A random symmetric (or Hermitian) matrix; ``hollow`` ones have a zero diagonal, so they need blocks of two."""
    random = np.random.default_rng(size)
    matrix = random.standard_normal((size, size))
    if kind != "real":
        matrix = matrix + 1j * random.standard_normal((size, size))
    matrix = matrix + (matrix.conj().T if kind == "hermitian" else matrix.T)
    if hollow:
        np.fill_diagonal(matrix, 0)
    return matrix


@pytest.mark.parametrize("kind", ["real", "symmetric", "hermitian"])
@pytest.mark.parametrize(("size", "hollow"), [(1, False), *((n, h) for n in (2, 3, 6, 15) for h in (False, True))])
def test_solving_with_the_factors_undoes_the_matrix(size: int, kind: str, hollow: bool) -> None:
    matrix = symmetric(size, kind, hollow)
    packed, pivots, info = eliminate(matrix, kind == "hermitian")
    assert info == 0
    right = np.arange(2.0 * size).reshape(size, 2) + 1
    assert np.allclose(matrix @ solved(packed, pivots, right, kind == "hermitian"), right)


def test_a_zero_diagonal_is_eliminated_in_blocks_of_two() -> None:
    packed, pivots, _ = eliminate(np.array([[0.0, 2.0], [2.0, 0.0]]), False)
    assert pivots.tolist() == [-2, -2]
    assert starts(pivots) == [(0, 2)]
    assert block_at(packed, 0, False).tolist() == [[0.0, 2.0], [2.0, 0.0]]


def test_a_zero_matrix_is_reported_as_singular_at_its_first_block() -> None:
    assert eliminate(np.zeros((2, 2)), False)[2] == 1
