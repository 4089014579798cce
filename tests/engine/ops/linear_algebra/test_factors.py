"""Elimination on arrays: what is factored multiplies back, and what is solved fits."""

from __future__ import annotations

import numpy as np
import pytest

from engine.ops.linear_algebra.factors import lu_packed, lu_solved, permutation, substitute, unpacked


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (5, 3), (2, 3, 3), (0, 0), (2, 0, 3)])
def test_the_factors_multiply_back_to_the_matrix(shape: tuple[int, ...]) -> None:
    matrix = np.random.default_rng(1).standard_normal(shape)
    packed, pivots, infos = lu_packed(matrix, True)
    lower, upper = unpacked(packed)
    assert not infos.any()
    assert np.allclose(permutation(pivots, shape[-2], matrix.dtype) @ lower @ upper, matrix)


def test_the_first_zero_pivot_is_reported_from_one() -> None:
    assert lu_packed(np.array([[1.0, 1.0], [1.0, 1.0]]), True)[2] == 2


@pytest.mark.parametrize("adjoint", [False, True])
def test_solving_undoes_the_matrix_or_its_adjoint(adjoint: bool) -> None:
    random = np.random.default_rng(2)
    matrix = random.standard_normal((2, 4, 4)) + 1j * random.standard_normal((2, 4, 4))
    right = random.standard_normal((2, 4, 3)).astype(complex)
    packed, pivots, _ = lu_packed(matrix, True)
    system = np.conj(matrix.swapaxes(-1, -2)) if adjoint else matrix
    assert np.allclose(system @ lu_solved(packed, pivots, right, adjoint), right)


def test_a_zero_on_the_diagonal_gives_infinity_and_no_error() -> None:
    with np.errstate(all="ignore"):
        assert np.isinf(substitute(np.array([[0.0]]), np.array([[1.0]]), True)).all()
