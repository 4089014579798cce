"""Random programs about autograd's semantics do on the engine what they do on real PyTorch."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

import engine.torch
from tests.oracle.fresh import found, verdict
from tests.oracle.golden import as_json, differences, golden
from tests.oracle.semantics import SemanticsWriter, fails_in_pytorch_itself, observe

ROOT = Path(__file__).resolve().parents[2]
RECORDED = golden("semantics")
JUDGE = os.environ.get("BACKPLAY_TORCH_PYTHON")
FRESH = 500
"""New programs per run where PyTorch is at hand."""


def judge(seed: str, theirs: dict[str, Any]) -> list[str]:
    """What the engine does differently in the program of ``seed``, as a report that can be read alone."""
    if fails_in_pytorch_itself(theirs):
        return []
    told = found(lambda: list(differences(as_json(observe(engine.torch, int(seed))), theirs)))
    program = "\n".join(SemanticsWriter(int(seed)).statements())
    return [f"seed {seed}\n{program}\n" + "\n".join(told)] if told else []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", RECORDED["programs"])
def test_a_recorded_program_does_what_it_did_on_pytorch(seed: str) -> None:
    assert judge(seed, RECORDED["programs"][seed]) == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(JUDGE is None, reason="BACKPLAY_TORCH_PYTHON names no Python with PyTorch; `make judge` makes one")
def test_new_programs_do_what_they_do_on_pytorch_now() -> None:
    assert JUDGE is not None
    first = int(os.environ.get("BACKPLAY_SEED", random.SystemRandom().randrange(10_000, 100_000_000)))
    print(f"BACKPLAY_SEED={first} gives these {FRESH} programs again")
    command = [JUDGE, "-m", "tests.oracle.record_semantics", "-", str(first), str(first + FRESH)]
    answered = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    programs = json.loads(answered.stdout)["programs"]
    reports = [report for seed, theirs in programs.items() for report in judge(seed, theirs)]
    assert len(programs) > FRESH * 0.95
    passed, told = verdict("semantics", first, len(programs), reports)
    print(told)
    assert passed, told


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
