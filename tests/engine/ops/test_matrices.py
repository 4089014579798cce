"""Matrices, factorisations, Fourier transforms: values, layout, graph, saved tensors, gradients and refusals of PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import ops
from tests.oracle.matrix_answers import RECORDED, assert_as_recorded
from tests.oracle.matrix_cases import CASES, PROGRAMS

SOURCES = {file.stem for file in Path(ops.__path__[0]).rglob("*.py")}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS, ids=[f"{source}: {program}" for program, source in PROGRAMS.items()])
def test_all_that_is_observed_of_a_program_is_pytorchs(program: str) -> None:
    assert_as_recorded(program)


def test_every_table_of_programs_is_named_after_the_file_it_judges() -> None:
    assert CASES.keys() <= SOURCES


def test_every_recorded_program_is_still_asked_for() -> None:
    assert RECORDED.keys() == PROGRAMS.keys()
