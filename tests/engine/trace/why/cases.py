"""The labelled snippets (``labelled/*.txt``): what went wrong in each, and where.

A case begins with ``# ── tensor.grad: cause, line n`` (or ``tensor.grad_fn``, ``tensor.value``, ``error``,
``warning``); the snippet follows, its lines counted from 1. The question is asked at the end, or with ``tensor.grad on
line m`` when that line has run. A file holds the causes that its name says.
"""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

HEADER = re.compile(
    r"# ── (?:(?P<name>.+)\.(?P<about>grad|grad_fn|value)(?: on line (?P<asked>\d+))?|(?P<kind>error|warning))"
    r": (?P<cause>\w+), line (?P<line>\d+)"
)


@dataclass(frozen=True)
class Case:
    """One labelled snippet."""

    id: str
    code: str
    about: str
    name: str
    cause: str
    line: int
    asked: int | None = None
    """The line after which the question is asked; None: at the end."""


def cases() -> list[Case]:
    """Every labelled snippet, in file order."""
    found = []
    for path in sorted((pathlib.Path(__file__).parent / "labelled").glob("*.txt")):
        parts = re.split(r"^(?=# ── )", path.read_text(), flags=re.MULTILINE)
        for number, part in enumerate(filter(None, parts), 1):
            header, code = part.split("\n", 1)
            label = HEADER.fullmatch(header)
            if label is None:
                raise ValueError(f"{path.name}: cannot read {header!r}")
            about = label["about"] or label["kind"]
            asked = int(label["asked"]) if label["asked"] else None
            name, line = label["name"] or "", int(label["line"])
            found.append(Case(f"{path.stem}-{number}", code, about, name, label["cause"], line, asked))
    return found
