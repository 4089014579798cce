"""The recorded programs of one source file, and the comparison with them."""

from __future__ import annotations

from engine import torch
from tests.oracle.golden import as_json, differences, golden
from tests.oracle.program_outcome import observe
from tests.oracle.shape_cases import CASES

RECORDED = golden("shapes")


def programs(source: str) -> list[str]:
    """The programs that judge the file of that name in `engine.ops`."""
    return CASES[source]


def assert_as_recorded(program: str) -> None:
    """Everything observed of the program (values, layout, graph, saved, gradients, error) is PyTorch's."""
    found = list(differences(as_json(observe(program, torch)), RECORDED[program], relative=0, absolute=0))
    assert not found, "\n".join([program, *found])
