"""The short-time Fourier transform: values, layout, graph, saved tensors, first and second gradients and refusals of real PyTorch."""

from __future__ import annotations

import pytest

from tests.oracle.matrix_answers import assert_as_recorded, programs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", programs("short_time"))
def test_short_time_transforms_are_what_they_are_in_pytorch(program: str) -> None:
    assert_as_recorded(program)
