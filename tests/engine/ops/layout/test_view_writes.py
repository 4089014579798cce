"""In-place writes through views, and who may make them, as in PyTorch (see `tests.oracle.program_outcome`)."""

from __future__ import annotations

import pytest

from tests.oracle.shape_answers import assert_as_recorded, programs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", programs("view_writes"))
def test_writing_through_views_does_what_it_does_in_pytorch(program: str) -> None:
    assert_as_recorded(program)
