"""Stories about autograd go on the engine as they went on real PyTorch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import engine.torch
from tests.oracle.telling import THEMES, all_stories, tell

RECORDED: dict[str, dict[str, list[str]]] = json.loads(
    (Path(__file__).resolve().parents[1] / "golden" / "stories.json").read_text(encoding="utf-8")
)
CASES = [(theme, name) for theme in THEMES for name, _ in all_stories(theme)]


@pytest.mark.parametrize(("theme", "name"), CASES)
def test_a_story_goes_as_it_went_on_pytorch(theme: str, name: str) -> None:
    story: Any = dict(all_stories(theme))[name]
    assert tell(story, engine.torch) == RECORDED[theme][name]


def test_every_recorded_story_is_still_told() -> None:
    assert {(theme, name) for theme in THEMES for name in RECORDED[theme]} == set(CASES)


def test_no_story_was_cut_short_by_an_error() -> None:
    told = [(theme, name, lines) for theme, stories in RECORDED.items() for name, lines in stories.items()]
    assert [(theme, name) for theme, name, lines in told if any(line.startswith("ended by") for line in lines)] == []


def test_a_story_that_goes_differently_is_noticed() -> None:
    def story(torch: Any, say: Any) -> None:
        say(torch.ones(2))
        say.error(lambda: torch.ones(2) @ torch.ones(3))

    lines = tell(story, engine.torch)
    assert lines[0] == "[1 1]"
    assert lines[1].startswith("RuntimeError: ")
