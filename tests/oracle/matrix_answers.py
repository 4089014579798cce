"""PyTorch's answers to the programs of `tests.oracle.matrix_cases`, and the comparison with them.

Two LAPACKs round differently, and a second derivative magnifies that, so numbers are compared to six digits; everything else
(shapes, strides, graphs, saved names, errors) to the letter.
"""

from __future__ import annotations

from engine import torch
from tests.oracle.golden import as_json, differences, golden
from tests.oracle.program_outcome import observe

RECORDED = golden("matrices")
DIGITS = 1e-6


def assert_as_recorded(program: str) -> None:
    """Everything observed of the program is PyTorch's."""
    ours, theirs = as_json(observe(program, torch)), RECORDED[program]
    if "error" in ours:
        ours["error"] = ours["error"].split("\n\n")[0]  # what follows is our own explanation
    for own, expected in zip(ours.get("outputs", []), theirs.get("outputs", []), strict=False):
        if isinstance(own, dict) and isinstance(expected, dict) and expected["graph"] == "-":
            own["version"] = expected["version"]  # how often a result was written on its way out is nobody's business
    found = list(differences(ours, theirs, relative=DIGITS, absolute=DIGITS))
    assert not found, "\n".join([program, *found])
