"""Random programs about autograd's semantics do on the engine what they do on real PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import engine.torch
from tests.oracle import judge
from tests.oracle.fresh import found
from tests.oracle.golden import as_json, differences, golden
from tests.oracle.semantics import SemanticsWriter, fails_in_pytorch_itself, observe

RECORDED = golden("semantics")
FRESH = 500
"""New programs per run where PyTorch is at hand."""


def differences_from(seed: str, theirs: dict[str, Any]) -> list[str]:
    """What the engine does differently in the program of ``seed``, as a report that can be read alone."""
    if fails_in_pytorch_itself(theirs):
        return []
    told = found(lambda: list(differences(as_json(observe(engine.torch, int(seed))), theirs)))
    program = "\n".join(SemanticsWriter(int(seed)).statements())
    return [f"seed {seed}\n{program}\n" + "\n".join(told)] if told else []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", RECORDED["programs"])
def test_a_recorded_program_does_what_it_did_on_pytorch(seed: str) -> None:
    assert differences_from(seed, RECORDED["programs"][seed]) == []


@pytest.mark.filterwarnings("ignore")
@judge.at_hand
def test_new_programs_do_what_they_do_on_pytorch_now() -> None:
    judge.require_agreement("semantics", FRESH, differences_from)


def test_programs_are_as_varied_as_they_claim() -> None:
    """Guards the generator: a recording of trivial programs would prove nothing."""
    programs = RECORDED["programs"].values()
    names = {node["name"] for program in programs for node in program["graph"]}
    for name in ("torch::autograd::CopySlices", "AsStridedBackward0", "torch::autograd::CopyBackwards", "DoubleBackward",
                 "SwapBackward", "UnbindBackward0", "SplitBackward0", "SelectBackward0", "ViewBackward0", "ExpandBackward0"):  # fmt: skip
        assert name in names
    errors = {error[1:] == [] or error[2] for program in programs for error in program["errors"]}
    assert len(errors) >= 8
    assert any(program["hooks"] for program in programs)
