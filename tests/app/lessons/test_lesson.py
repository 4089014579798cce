"""Lesson files: every one is whole, and a broken one says what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.lessons.lesson import Lesson, lessons, read

WHOLE = """
title = "T"
summary = "S."
snippet = "a = 1\\nb = a + a\\n"
[[sections]]
heading = "H"
paragraphs = ["P"]
player = true
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "some-lesson.toml"


def test_a_whole_file_is_read_under_its_name(file: Path) -> None:
    file.write_text(WHOLE)
    assert (read(file).slug, read(file).title) == ("some-lesson", "T")


@pytest.mark.parametrize(
    ("addition", "told"),
    [
        ('[[notes]]\non = "c"\ntext = "N"', "the snippet 0 times"),
        ('[[notes]]\non = "b = a"\noccurrence = 2\ntext = "N"', "the snippet has 1"),
        ('[[questions]]\nprompt = "Q"\nchoices = [{ text = "x", why = "y" }]', "has 0 right choices"),
        ('[[sections]]\nheading = "H"\nparagraphs = []\nplayer = true', "exactly one section"),
        ('[[notes]]\non = "a"\ntext = "N"', "the snippet 3 times"),
        ('[[notes]]\non = "b = a"\ntext = "{b}"', "braces without a claim"),
        ('[[notes]]\non = "b = a"\ntext = "{b = 2 @ c}"', "the snippet 0 times"),
        ('[[notes]]\non = "b = a"\ntext = "N"\nonn = "typo"', "onn"),
    ],
)
def test_a_broken_file_is_refused_with_the_reason(file: Path, addition: str, told: str) -> None:
    file.write_text(WHOLE + addition)
    with pytest.raises(ValueError, match=told):
        read(file)


@pytest.mark.parametrize("lesson", lessons().values(), ids=lambda lesson: lesson.slug)
def test_every_snippet_is_python(lesson: Lesson) -> None:
    compile(lesson.snippet, lesson.slug, "exec")


def test_the_seed_lesson_has_its_snippet_and_four_choices_with_leaves_right() -> None:
    lesson = lessons()["dynamic-computation-graph"]
    assert lesson.snippet.splitlines()[2:] == [
        "a = torch.tensor(3.0, requires_grad=True)",
        "b = torch.tensor(4.0, requires_grad=True)",
        "c = a * b",
        "d = c + a",
        "d.backward()",
        "print(a.grad.item(), b.grad.item())",
    ]
    (question,) = lesson.questions
    assert [choice.right for choice in question.choices] == [False, False, False, True]
    assert all(choice.why for choice in question.choices)
