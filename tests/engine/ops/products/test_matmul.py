"""The matrix product in all ranks: values, layout, graph, saved tensors, first and second gradients and refusals of real PyTorch."""

from __future__ import annotations

import pytest

from tests.oracle.matrix_answers import assert_as_recorded, programs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", programs("matmul"))
def test_matrix_products_of_all_ranks_are_what_they_are_in_pytorch(program: str) -> None:
    assert_as_recorded(program)
