"""Whole traces, kept: whatever changes one shows up as a diff that somebody reads.

    pytest tests/test_golden_traces.py --rewrite-golden

writes them anew. Programs are the seed lesson's snippet and every ``tests/golden/traces/*.py``.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from app.lessons.lesson import lessons
from engine.trace.document import Trace
from engine.trace.play import play

SEED = "dynamic-computation-graph"
FOLDER = Path(__file__).parent / "golden" / "traces"
PROGRAMS = {
    SEED: lessons()[SEED].snippet,
    **{file.stem: file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.py"))},
}


def readable(trace: Trace) -> str:
    """The document with a line of its own for each row of each table."""
    fields = []
    for name, value in msgspec.to_builtins(trace).items():
        if isinstance(value, list) and value:
            rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in value)
            fields.append(f"{json.dumps(name)}: [\n{rows}\n]")
        else:
            fields.append(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_kept_program_gives_its_kept_trace(name: str, request: pytest.FixtureRequest) -> None:
    kept = FOLDER / f"{name}.json"
    now = readable(play(PROGRAMS[name]))
    if request.config.getoption("--rewrite-golden"):
        kept.write_text(now, encoding="utf-8")
    assert now.splitlines() == kept.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", PROGRAMS)
def test_playing_twice_gives_the_same_bytes(name: str) -> None:
    first, second = (msgspec.json.encode(play(PROGRAMS[name])) for _ in range(2))
    assert first == second
