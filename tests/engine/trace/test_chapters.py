"""Chapters: each step is in one, their titles are claims, and a long loop has no more of them than can be read."""

from __future__ import annotations

import msgspec
import pytest

from engine.trace.claims import verify
from engine.trace.play import play
from tests.engine.trace.test_narration import PROGRAMS
from tests.engine.trace.test_play import SEED


def test_chapters_cover_every_step_once() -> None:
    for code in PROGRAMS.values():
        trace = play(code)
        covered = [index for chapter in trace.chapters for index in range(chapter.first, chapter.last + 1)]
        assert covered == list(range(len(trace.steps)))
    assert [chapter.title for chapter in play(SEED).chapters] == ["Lines 1 to 6", "Backward from d", "Line 8"]


def test_loop_turns_name_their_chapters() -> None:
    titles = [chapter.title for chapter in play(PROGRAMS["loop"]).chapters]
    assert "Turn 2: backward from w * w" in titles
    assert "Turn 3: gradients cleared" in titles


@pytest.mark.parametrize(
    ("turns", "told_apart", "together"),
    [(20, "Turn 20: f()", "Turn 20"), (60, "Turn 60: backward from y", "Turn 60: f()"), (150, "Turns 149 to 150", "")],
)
def test_the_longer_a_loop_the_longer_its_chapters_to_its_last_turn(turns: int, told_apart: str, together: str) -> None:
    trace = play(f"""\
import torch
w = torch.tensor(2.0, requires_grad=True)
def f(x):
    return x * 3
for turn in range({turns}):
    y = f(w)
    y.backward()
""")
    titles = [chapter.title for chapter in trace.chapters]
    assert told_apart in titles
    assert together not in titles
    assert titles[-1] == "End"
    assert len(titles) <= 200
    assert verify(trace) == []


def test_a_title_that_is_wrong_is_found() -> None:
    trace = play(SEED)
    trace.chapters[0] = msgspec.structs.replace(
        trace.chapters[0], claims=[msgspec.structs.replace(trace.chapters[0].claims[0], number=2)]
    )
    assert verify(trace)
    trace.chapters[0] = msgspec.structs.replace(trace.chapters[0], claims=[])
    assert verify(trace)


def test_turns_of_an_inner_loop_are_told_apart() -> None:
    code = """\
import torch
w = torch.tensor(1.0, requires_grad=True)
for epoch in range(2):
    for x in (1.0, 2.0):
        (w * x).backward()
"""
    trace = play(code)
    titles = [chapter.title for chapter in trace.chapters if chapter.kind == "backward"]
    assert titles == [f"Turn {epoch}.{batch}: backward from w * x" for epoch in (1, 2) for batch in (1, 2)]
    assert list(verify(trace)) == []
