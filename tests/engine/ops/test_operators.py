"""Every operator's value, graph, saved names, first and second gradients are those real PyTorch recorded."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from engine import torch
from tests.oracle.derivatives import derived
from tests.oracle.operator_cases import EXPRESSIONS, FAMILIES

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[2] / "golden" / "operators.json").read_text())


def agree(ours: Any, theirs: Any) -> bool:
    """The same structure, words and whole numbers; floats to nine digits."""
    if isinstance(theirs, dict):
        return (
            isinstance(ours, dict) and ours.keys() == theirs.keys() and all(agree(ours[k], theirs[k]) for k in theirs)
        )
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(agree, ours, theirs))
    if isinstance(theirs, float) and isinstance(ours, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
    return type(ours) is type(theirs) and bool(ours == theirs)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS, ids=[f"{family}: {e}" for e, family in EXPRESSIONS.items()])
def test_outcome_is_pytorchs(expression: str) -> None:
    ours, theirs = json.loads(json.dumps(derived(expression, torch))), GOLDEN[expression]
    different = {key: (ours.get(key), value) for key, value in theirs.items() if not agree(ours.get(key), value)}
    assert not different, f"ours, PyTorch's: {different}"


def test_every_recorded_expression_is_still_asked_for() -> None:
    assert GOLDEN.keys() == EXPRESSIONS.keys()
    assert all(lines.strip() for lines in FAMILIES.values())
