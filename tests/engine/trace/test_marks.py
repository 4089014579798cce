"""Code inside sentences stands in backticks, once, and words do not."""

from __future__ import annotations

import pytest

from engine.trace.marks import bare, code, marked
from engine.trace.play import play
from tests.engine.trace.said import everything_said
from tests.engine.trace.test_narration import PROGRAMS

SENTENCES = {
    "`a`.grad is None: no backward pass has filled it.": "`a.grad` is None: no backward pass has filled it.",
    "Its grad_fn is MulBackward0, so its own .grad stays None.": "Its `grad_fn` is `MulBackward0`, so its own `.grad` stays None.",
    "Call `w`.requires_grad_() first, or pass retain_graph=True.": "Call `w.requires_grad_()` first, or pass `retain_graph=True`.",
    "`x`'s AccumulateGrad, and a word (n, 1) in brackets.": "`x`'s `AccumulateGrad`, and a word (n, 1) in brackets.",
    "backward() adds 1.5 to it.": "`backward()` adds 1.5 to it.",
}  # fmt: skip


@pytest.mark.parametrize(("sentence", "expected"), list(SENTENCES.items()))
def test_code_is_marked_once_and_the_words_stay_the_same(sentence: str, expected: str) -> None:
    assert marked(sentence) == expected
    assert marked(expected) == expected
    assert bare(expected) == bare(sentence)


def test_a_label_of_several_words_keeps_its_words() -> None:
    assert code("result 2 of xs.sort()") == "result 2 of `xs.sort()`"
    assert code("an unnamed tensor") == "an unnamed tensor"


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_every_mark_is_closed_and_never_touches_a_word(program: str) -> None:
    for sentence in everything_said(play(program)):
        pieces = sentence.split("`")
        assert len(pieces) % 2, sentence
        assert all(piece.strip() for piece in pieces[1::2]), sentence
        assert not any(piece[:1].isalnum() for piece in pieces[2::2]), sentence
