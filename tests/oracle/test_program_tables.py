"""The programs of the tables are run to the point that they are about."""

from __future__ import annotations

import json
import re

import pytest

from tests.oracle.golden import golden

TABLES = (
    "creation", "data", "distributions", "functional", "lines", "matrices", "modules", "operators", "optimizers", "shapes", "tensors",
)  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_no_program_fails_by_a_slip_of_its_own(name: str) -> None:
    """An error that ends a program on both sides agrees, whatever the program was meant to show."""
    slip = re.compile(r'(\{"error": )?"(SyntaxError|NameError)\b')
    assert not [program for program, outcome in golden(name).items() if slip.match(json.dumps(outcome))]
