"""The recorded programs about matrices of one source file, and the comparison with them.

Two LAPACKs round differently, and a second derivative magnifies that, so numbers are compared to six digits; everything else
(shapes, strides, graphs, saved names, errors) to the letter.
"""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

from engine import torch
from tests.oracle.matrix_cases import CASES
from tests.oracle.program_outcome import observe

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "matrices.json").read_text(encoding="utf-8")
)
DIGITS = 1e-6


def programs(source: str) -> list[str]:
    """The programs that judge the file of that name."""
    return CASES[source]


def assert_as_recorded(program: str) -> None:
    """Everything observed of the program is PyTorch's."""
    ours, theirs = observe(program, torch), copy.deepcopy(GOLDEN[program])
    if "error" in ours:
        ours["error"] = ours["error"].split("\n\n")[0]  # what follows is our own explanation
    for output in theirs.get("outputs", []):
        if isinstance(output, dict) and output["graph"] == "-":
            del output["version"]  # how often a result was written on its way out is nobody's business
    for part in ("error", "outputs", "first", "second"):
        found = difference(json.loads(json.dumps(ours.get(part))), theirs.get(part), part)
        assert not found, f"{found}\nof: {program}"


def difference(ours: Any, theirs: Any, where: str) -> str:
    """The first place where two observations differ, or nothing."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return next((d for k in theirs if (d := difference(ours.get(k), theirs[k], f"{where}.{k}"))), "")
    if isinstance(theirs, list) and isinstance(ours, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return next((d for i, (a, b) in pairs if (d := difference(a, b, f"{where}[{i}]"))), "")
    if isinstance(theirs, float) and isinstance(ours, float):
        same = math.isclose(ours, theirs, rel_tol=DIGITS, abs_tol=DIGITS) or (math.isnan(ours) and math.isnan(theirs))
    else:
        same = ours == theirs
    return "" if same else f"{where}: {ours!r}, expected {theirs!r}"
