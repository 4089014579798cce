"""Random programs of views and in-place writes run on the engine as they ran on real PyTorch."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from engine import torch
from tests.oracle.view_programs import observe, program

RECORDED: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "views.json").read_text(encoding="utf-8"))


def alike(ours: Any, theirs: Any) -> bool:
    """Equal, numbers to eight digits (exp and tanh are rounded differently)."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(alike(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(alike(a, b) for a, b in zip(ours, theirs, strict=True))
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-8, abs_tol=1e-12) or (math.isnan(ours) and math.isnan(theirs))
    return bool(ours == theirs)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", list(RECORDED))
def test_views_and_writes_do_what_they_did_on_pytorch(seed: str) -> None:
    ours, theirs = json.loads(json.dumps(observe(int(seed), torch))), RECORDED[seed]
    for part, expected in theirs.items():
        assert alike(ours[part], expected), "\n".join([part, *program(int(seed))[0], str(ours[part]), str(expected)])


def test_the_programs_are_as_varied_as_they_claim() -> None:
    """Guards the generator: a recording of trivial programs would prove nothing."""
    text = json.dumps(RECORDED)
    for name in ("CopySlices", "AsStridedBackward0", "CopyBackwards", "IndexPutBackward0", "UnsqueezeBackward1"):
        assert text.count(name) > 10
    assert sum(bool(seen["errors"]) for seen in RECORDED.values()) > 50
    assert sum(isinstance(seen["gradients"], list) and len(seen["gradients"]) == 2 for seen in RECORDED.values()) > 50
