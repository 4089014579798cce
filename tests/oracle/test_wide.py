"""Wide random programs, of every kind of statement, do on the engine what they do on real PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import engine.torch
from tests.oracle import judge
from tests.oracle.fresh import found
from tests.oracle.golden import as_json, differences, golden
from tests.oracle.not_like_pytorch import IN_RANDOM_PROGRAMS
from tests.oracle.semantics import fails_in_pytorch_itself
from tests.oracle.wide.observation import comparable, observe
from tests.oracle.wide.program import Program

RECORDED = golden("wide")
FRESH = 250
"""New programs per run where PyTorch is at hand."""
KNOWN = {seed for seeds in IN_RANDOM_PROGRAMS.values() for seed in seeds}
"""Recorded programs that differ, and are said to."""


def differences_from(seed: str, theirs: dict[str, Any]) -> list[str]:
    """What the engine does differently in the program of ``seed``, as a report that can be read alone."""
    if fails_in_pytorch_itself(theirs):
        return []
    told = found(lambda: list(differences(*comparable(as_json(observe(engine.torch, int(seed))), theirs))))
    program = "\n".join(Program(int(seed)).statements())
    return [f"seed {seed}\n{program}\n" + "\n".join(told)] if told else []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", RECORDED["programs"])
def test_a_recorded_program_does_what_it_did_on_pytorch(seed: str) -> None:
    reports = differences_from(seed, RECORDED["programs"][seed])
    if int(seed) in KNOWN:
        assert reports, "this is like PyTorch by now: strike it from not_like_pytorch"
    else:
        assert reports == []


@pytest.mark.filterwarnings("ignore")
@judge.at_hand
def test_new_programs_do_what_they_do_on_pytorch_now() -> None:
    judge.require_agreement("wide", FRESH, differences_from)


def test_programs_are_as_varied_as_they_claim() -> None:
    """Guards the generator: a recording of trivial programs would prove nothing."""
    programs = RECORDED["programs"].values()
    names = {node["name"] for program in programs for node in program["graph"]}
    assert len(names) >= 90
    for name in ("torch::autograd::CopySlices", "AsStridedBackward0", "DoubleBackward", "CheckpointFunctionBackward", "MmBackward0",
                 "IndexPutBackward0", "LogSoftmaxBackward0", "StackBackward0", "TanhBackward0", "SortBackward0"):  # fmt: skip
        assert name in names
    errors = {(kind, message) for program in programs for _, kind, message in program["errors"]}
    assert len(errors) >= 40
    assert sum(bool(program["hooks"]) for program in programs) >= 40
    assert sum(bool(program["storages"]) for program in programs) >= 60
    assert {told["dtype"] for p in programs for told in p["variables"].values() if "dtype" in told} >= {
        "torch.float32", "torch.float64", "torch.int64", "torch.bool",
    }  # fmt: skip
