"""The playground's examples, read from ``gallery.toml``: short programs worth stepping through, by topic."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

FILE = Path(__file__).resolve().parent / "gallery.toml"


class Example(BaseModel):
    """One program."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    shows: str
    """What to look for, in one sentence."""
    snippet: str
    raises: str = ""
    """The type of the error it ends with, when that is its point."""


class Topic(BaseModel):
    """Examples that belong together."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    examples: list[Example]


@cache
def gallery() -> list[Topic]:
    """All topics in order."""
    topics = tomllib.loads(FILE.read_text(encoding="utf-8"))["topics"]
    return [Topic.model_validate(topic) for topic in topics]
