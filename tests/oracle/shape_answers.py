"""The recorded programs of one source file, and the comparison with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine import torch
from tests.oracle.program_outcome import observe
from tests.oracle.shape_cases import CASES

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "shapes.json").read_text(encoding="utf-8"))


def programs(source: str) -> list[str]:
    """The programs that judge ``engine/ops/<source>.py``."""
    return CASES[source]


def assert_as_recorded(program: str) -> None:
    """Everything observed of the program (values, layout, graph, saved, gradients, error) is PyTorch's."""
    ours = json.loads(json.dumps(observe(program, torch)))
    theirs = GOLDEN[program]
    for part in ("error", "outputs", "first", "second"):
        assert ours.get(part) == theirs.get(part), f"{part} of: {program}"
