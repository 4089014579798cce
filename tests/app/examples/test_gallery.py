"""The examples: each plays to the end it promises, and no two bear the same name."""

from __future__ import annotations

import pytest

from app.examples.gallery import Example, gallery
from engine.trace.events import BackwardStarted
from engine.trace.play import play

EXAMPLES = [example for topic in gallery() for example in topic.examples]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_an_example_ends_as_it_says_after_a_backward_pass(example: Example) -> None:
    trace = play(example.snippet)
    assert (trace.outcome.error or "") == example.raises
    assert any(isinstance(step, BackwardStarted) for step in trace.steps)


def test_every_example_has_its_own_title() -> None:
    titles = [example.title for example in EXAMPLES]
    assert len(set(titles)) == len(titles)
