"""Whole programs, run unchanged, print what they printed on real PyTorch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.trace.play import play
from tests.oracle.whole_programs import programs, without_addresses

RECORDED: dict[str, str] = json.loads(
    (Path(__file__).resolve().parents[1] / "golden" / "tutorials.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", programs())
def test_a_program_prints_what_it_printed_on_pytorch(name: str) -> None:
    trace = play(programs()[name], words=False)
    assert (trace.outcome.status, trace.outcome.message) == ("ok", "")
    assert without_addresses(trace.stdout) == RECORDED[name]


def test_every_recorded_program_is_still_run() -> None:
    assert list(RECORDED) == list(programs())
