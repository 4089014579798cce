"""What a lesson is, and how it is read from its file.

A lesson is a TOML file in this folder, so that it can be written without Python and reviewed line by line. Its notes
name the source text they belong to, not a line number, so that they survive edits of the snippet. Words between
backticks are code.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

FOLDER = Path(__file__).resolve().parent


class Part(BaseModel):
    """Anything a lesson file holds: fixed once read, and nothing in it that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Section(Part):
    """A heading and its paragraphs."""

    heading: str
    paragraphs: list[str]
    player: bool = False
    """Whether the player stands below this section."""


class Note(Part):
    """A remark on a piece of the snippet."""

    on: str
    """The source text it belongs to."""
    occurrence: int = 1
    """Which of several equal pieces of text, from 1."""
    text: str


class Choice(Part):
    """One answer to a question."""

    text: str
    right: bool = False
    why: str
    """Why it is right or wrong, told after choosing."""


class Question(Part):
    """A question with exactly one right answer."""

    prompt: str
    choices: list[Choice]

    @model_validator(mode="after")
    def _one_is_right(self) -> Self:
        right = sum(choice.right for choice in self.choices)
        if right != 1:
            raise ValueError(f"question {self.prompt!r} has {right} right choices; mark exactly one with right = true")
        return self


class Lesson(Part):
    """A page that teaches one thing on one snippet."""

    slug: str
    """Its name in addresses: the name of its file."""
    title: str
    summary: str
    """One sentence for lists and search engines."""
    snippet: str
    sections: list[Section]
    notes: list[Note] = []
    questions: list[Question] = []

    @model_validator(mode="after")
    def _anchors_hold(self) -> Self:
        for note in self.notes:
            seen = self.snippet.count(note.on)
            if not 1 <= note.occurrence <= seen:
                raise ValueError(
                    f"note on {note.on!r} wants occurrence {note.occurrence}, the snippet has {seen}; "
                    "change `on` or `occurrence` to text that is there"
                )
        if sum(section.player for section in self.sections) != 1:
            raise ValueError("exactly one section must say player = true, so that the player has its place")
        return self


def read(file: Path) -> Lesson:
    """The lesson in ``file``. Raises ValueError naming what is wrong with it."""
    return Lesson.model_validate({"slug": file.stem, **tomllib.loads(file.read_text(encoding="utf-8"))})


@cache
def lessons() -> dict[str, Lesson]:
    """All lessons by slug, in order of their slugs."""
    return {file.stem: read(file) for file in sorted(FOLDER.glob("*.toml"))}
