"""Views, indexing, in-place writes, matrices, Fourier transforms: values, layout, graph, saved tensors, gradients and refusals
of PyTorch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import ops
from tests.oracle import matrix_answers, matrix_cases, shape_answers, shape_cases

SOURCES = {file.stem for file in Path(ops.__path__[0]).rglob("*.py")}
TABLES = {"shapes": (shape_cases, shape_answers), "matrices": (matrix_cases, matrix_answers)}
PROGRAMS = [
    pytest.param(answers, program, id=f"{source}: {program}")
    for cases, answers in TABLES.values()
    for program, source in cases.PROGRAMS.items()
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("answers", "program"), PROGRAMS)
def test_all_that_is_observed_of_a_program_is_pytorchs(answers: Any, program: str) -> None:
    answers.assert_as_recorded(program)


@pytest.mark.parametrize(("cases", "answers"), TABLES.values(), ids=TABLES)
def test_every_table_of_programs_is_named_after_the_file_it_judges(cases: Any, answers: Any) -> None:
    assert cases.CASES.keys() <= SOURCES


@pytest.mark.parametrize(("cases", "answers"), TABLES.values(), ids=TABLES)
def test_every_recorded_program_is_still_asked_for(cases: Any, answers: Any) -> None:
    assert answers.RECORDED.keys() == cases.PROGRAMS.keys()
