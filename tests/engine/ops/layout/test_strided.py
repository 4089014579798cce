"""Windows on the storage, as real PyTorch does it (see `tests.oracle.program_outcome`)."""

from __future__ import annotations

import pytest

from tests.oracle.shape_answers import assert_as_recorded, programs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", programs("strided"))
def test_windows_do_what_they_do_in_pytorch(program: str) -> None:
    assert_as_recorded(program)
