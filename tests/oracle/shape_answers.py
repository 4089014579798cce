"""PyTorch's answers to the programs of `tests.oracle.shape_cases`, and the comparison with them."""

from __future__ import annotations

from engine import torch
from tests.oracle.golden import as_json, differences, golden
from tests.oracle.program_outcome import observe

RECORDED = golden("shapes")


def assert_as_recorded(program: str) -> None:
    """Everything observed of the program (values, layout, graph, saved, gradients, error) is PyTorch's."""
    found = list(differences(as_json(observe(program, torch)), RECORDED[program], relative=0, absolute=0))
    assert not found, "\n".join([program, *found])
