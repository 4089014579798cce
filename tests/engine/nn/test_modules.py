"""Modules: text, state, output, gradients, hooks and refusals are those real PyTorch recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import torch
from tests.oracle.module_cases import FAMILIES, PROGRAMS
from tests.oracle.training import agree, outcome

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[2] / "golden" / "modules.json").read_text())
PLACES = {
    program: f"{family} {number}" for family, programs in FAMILIES.items() for number, program in enumerate(programs)
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS, ids=PLACES.values())
def test_outcome_is_pytorchs(program: str) -> None:
    with torch.random.fork_rng():
        ours, theirs = json.loads(json.dumps(outcome(program, torch))), GOLDEN[program]
    assert agree(ours, theirs), f"{program}\nours:     {ours}\nPyTorch's: {theirs}"


def test_every_recorded_program_is_still_asked_for() -> None:
    assert GOLDEN.keys() == PROGRAMS.keys()
