"""The programs of lessons and examples and what is claimed of them, read without pydantic: real PyTorch's Python lacks it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.lessons.anchors import place
from app.lessons.prose import Claim, Prose

APP = Path(__file__).resolve().parents[2] / "app"
NOT_PROSE = {"snippet", "on", "to", "title", "heading", "raises", "kind", "of"}


@dataclass(frozen=True)
class Program:
    """A snippet and the claims about it."""

    name: str
    """The lesson's slug; ``slug, try 2`` for its second change; ``example: title``."""
    code: str
    claims: tuple[Claim, ...]


def programs() -> Iterator[Program]:
    """Each lesson's snippet, the snippet as changed by each of the lesson's tries, and each example."""
    for file in sorted((APP / "lessons").glob("*.toml")):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        if "snippet" not in table:
            continue
        code, tries = table["snippet"], table.pop("tries", [])
        yield Program(file.stem, code, tuple(claims_in(table)))
        for number, change in enumerate(tries, 1):
            start = place(code, change["on"], change.get("occurrence"))
            changed = code[:start] + change["to"] + code[start + len(change["on"]) :]
            yield Program(f"{file.stem}, try {number}", changed, Prose(change["text"]).claims)
    gallery = tomllib.loads((APP / "examples" / "gallery.toml").read_text(encoding="utf-8"))
    for topic in gallery["topics"]:
        for example in topic["examples"]:
            yield Program(f"example: {example['title']}", example["snippet"], ())


def claims_in(part: Any) -> Iterator[Claim]:
    """Every claim in the texts of a table."""
    if isinstance(part, str):
        yield from Prose(part).claims
    elif isinstance(part, list):
        for element in part:
            yield from claims_in(element)
    elif isinstance(part, dict):
        for name, value in part.items():
            if name not in NOT_PROSE:
                yield from claims_in(value)


def key(claim: Claim) -> str:
    """What a claim asks, without the answer it expects."""
    moment = claim.moment
    if moment is None:
        return claim.subject
    number = f" #{moment.occurrence}" if moment.occurrence else ""
    return f"{claim.subject} @ {moment.on}{number} turn {moment.turn}"
