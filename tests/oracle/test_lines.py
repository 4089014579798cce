"""Programs of one line answer as on real PyTorch, errors included, word by word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import engine.torch
from tests.oracle.line_outcome import outcome, topics

RECORDED: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).resolve().parents[1] / "golden" / "lines.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("topic", "line"), [(topic, line) for topic, lines in topics().items() for line in lines])
def test_a_line_answers_as_on_pytorch(topic: str, line: str) -> None:
    assert outcome(line, engine.torch) == RECORDED[topic][line]


def test_every_recorded_line_is_still_asked() -> None:
    assert {topic: list(lines) for topic, lines in RECORDED.items()} == topics()
