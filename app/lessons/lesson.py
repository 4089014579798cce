"""What a lesson is, and how it is read from its file.

A lesson is a TOML file in this folder, so that it can be written without Python and reviewed line by line. Whatever it
says about a piece of the snippet names that piece's source text, not a line number, so that it survives edits. How its
text is written is told in `app.lessons.prose`: a number in it is a claim that tests check against the trace and against
real PyTorch.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from app.lessons.anchors import place, statement_at
from app.lessons.prose import Claim, Prose

FOLDER = Path(__file__).resolve().parent
CONTENTS = FOLDER / "contents.toml"
Text = Annotated[str, AfterValidator(Prose)]


class Part(BaseModel):
    """Anything a lesson file holds: fixed once read, and nothing in it that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Section(Part):
    """A heading and its paragraphs."""

    heading: str
    paragraphs: list[Text]
    player: bool = False
    """Whether the player stands below this section."""


class Anchored(Part):
    """What belongs to a piece of the snippet."""

    on: str
    """The source text it belongs to."""
    occurrence: int | None = None
    """Which of several equal pieces of text, from 1; may be left out when there is only one."""


class Note(Anchored):
    """A remark on a piece of the snippet, shown when its line is reached."""

    text: Text


class Try(Anchored):
    """A change to the snippet that is worth a run; ``on`` is what is replaced."""

    to: str
    """What to put in its place."""
    text: Text
    """What comes of it; its claims are about the changed snippet."""
    raises: str = ""
    """How the changed run ends, where that is an error; as `Lesson.raises`."""


class Pointer(Anchored):
    """A step of the trace: the one of its kind that a piece of the snippet caused."""

    kind: str
    """The step's kind, as in `engine.trace.events`."""
    of: str = ""
    """The label of the step's tensor, or the name of its node, where several steps are of that kind."""
    nth: int = 1
    """Which of the steps that fit, from 1."""


class Choice(Part):
    """One answer to a question. What a wrong one claims must be wrong."""

    text: Text
    right: bool = False
    why: Text
    """Why it is right or wrong, told after choosing."""
    step: Pointer | None = None
    """The step that proves or refutes it."""


class Question(Part):
    """A question with exactly one right answer."""

    prompt: Text
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
    summary: Text
    """One sentence for lists and search engines."""
    snippet: str
    raises: str = ""
    """How the run ends, where it is meant to end in an error: ``RuntimeError: `` and the message's key phrase."""
    sections: list[Section]
    notes: list[Note] = []
    tries: list[Try] = []
    questions: list[Question] = []

    @model_validator(mode="after")
    def _anchors_hold(self) -> Self:
        pointers = [choice.step for question in self.questions for choice in question.choices if choice.step]
        for anchored in [*self.notes, *self.tries, *pointers]:
            place(self.snippet, anchored.on, anchored.occurrence)
        for text in [*self.texts(), *self.misconceptions()]:
            check_moments(self.snippet, text.claims)
        for each in self.tries:
            check_moments(self.changed(each), Prose.of(each.text).claims)
        if sum(section.player for section in self.sections) != 1:
            raise ValueError("exactly one section must say player = true, so that the player has its place")
        return self

    def texts(self) -> Iterator[Prose]:
        """Everything it says about its own snippet and means: all texts but those of tries and of wrong choices."""
        yield Prose.of(self.summary)
        for section in self.sections:
            yield from map(Prose.of, section.paragraphs)
        yield from (Prose.of(note.text) for note in self.notes)
        for question in self.questions:
            yield Prose.of(question.prompt)
            for choice in question.choices:
                yield Prose.of(choice.why)
                if choice.right:
                    yield Prose.of(choice.text)

    def misconceptions(self) -> Iterator[Prose]:
        """The texts of the wrong choices: what they claim is not so."""
        for question in self.questions:
            yield from (Prose.of(choice.text) for choice in question.choices if not choice.right)

    def changed(self, change: Try) -> str:
        """The snippet after one of its `tries`."""
        start = place(self.snippet, change.on, change.occurrence)
        return self.snippet[:start] + change.to + self.snippet[start + len(change.on) :]


class Topic(Part):
    """Lessons that belong together, in the order to read them."""

    title: str
    summary: str
    lessons: list[str]


def check_moments(snippet: str, claims: tuple[Claim, ...]) -> None:
    """Raises ValueError when a claim's moment is not to be found in ``snippet``."""
    for claim in claims:
        if claim.moment is not None:
            statement_at(snippet, claim.moment.on, claim.moment.occurrence)


def read(file: Path) -> Lesson:
    """The lesson in ``file``. Raises ValueError naming what is wrong with it."""
    return Lesson.model_validate({"slug": file.stem, **tomllib.loads(file.read_text(encoding="utf-8"))})


@cache
def topics() -> list[Topic]:
    """The table of contents."""
    return [Topic.model_validate(topic) for topic in tomllib.loads(CONTENTS.read_text(encoding="utf-8"))["topics"]]


@cache
def lessons() -> dict[str, Lesson]:
    """All lessons by slug, in the order to read them."""
    return {slug: read(FOLDER / f"{slug}.toml") for topic in topics() for slug in topic.lessons}
