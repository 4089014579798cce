"""Random programs run on the engine as they ran on real PyTorch: recorded everywhere, live where PyTorch is at hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

import engine.torch
from tests.oracle import judge
from tests.oracle.golden import differences, golden
from tests.oracle.programs import Writer, observe

RECORDED = golden("programs")
LIVE = (10_000, 10_300)
"""Seeds that nobody has recorded."""


def differences_from(seed: int, theirs: dict[str, Any]) -> list[str]:
    """What the engine does differently in the program of ``seed``, as a report that can be read alone."""
    found = list(differences(observe(engine.torch, seed), theirs))
    return [f"seed {seed}\n{Writer(seed).program()}" + "\n".join(found)] if found else []


def test_the_recording_is_of_the_release_that_we_play() -> None:
    assert RECORDED["torch"] == engine.torch.__version__


@pytest.mark.parametrize("seed", [int(seed) for seed in RECORDED["programs"]])
def test_a_recorded_program_does_what_it_did_on_pytorch(seed: int) -> None:
    assert differences_from(seed, RECORDED["programs"][str(seed)]) == []


@judge.at_hand
def test_new_programs_do_what_they_do_on_pytorch_now() -> None:
    programs = judge.asked("record_programs", *LIVE)["programs"]
    reports = [report for seed, theirs in programs.items() for report in differences_from(int(seed), theirs)]
    assert not reports, f"{len(reports)} of {LIVE[1] - LIVE[0]} differ; the first:\n{reports[0]}"


def test_a_difference_anywhere_is_seen() -> None:
    theirs = observe(engine.torch, 1)
    ours = json.loads(json.dumps(theirs))
    assert list(differences(ours, theirs)) == []
    ours["variables"]["loss"]["is_leaf"] = not ours["variables"]["loss"]["is_leaf"]
    ours["graph"] = ours["graph"][1:]
    assert len(list(differences(ours, theirs))) == 2


def test_programs_are_as_varied_as_they_claim() -> None:
    """Guards the generator: a recording of trivial programs would prove nothing."""
    programs = RECORDED["programs"].values()
    names = {node["name"] for program in programs for node in program["graph"]}
    wanted = "Add0 Sub0 Rsub1 Mul0 Div0 Pow0 Pow1 Reciprocal0 Dot0 Mm0 Mv0 Sum0 Mean0 Exp0 Log0 Relu0 Tanh0 Sigmoid0"
    for name in f"{wanted} Neg0 Abs0 Select0 Slice0 Squeeze4".split():
        assert f"{name[:-1]}Backward{name[-1]}" in names
    assert any("error" in program for program in programs)
    assert max(len(program["graph"]) for program in programs) >= 20
