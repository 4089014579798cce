"""Elements by their number, as real PyTorch does it (see `tests.oracle.program_outcome`)."""

from __future__ import annotations

import pytest

from tests.oracle.shape_answers import assert_as_recorded, programs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", programs("flat_places"))
def test_elements_by_number_are_read_and_written_as_in_pytorch(program: str) -> None:
    assert_as_recorded(program)
