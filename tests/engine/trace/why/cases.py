"""The labelled snippets of this folder: what went wrong in each, and where.

A case begins with ``# ── tensor.grad: cause, line n`` (or ``tensor.grad_fn``, ``tensor.value``, ``error``,
``warning``); the snippet follows, its lines counted from 1.
"""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

HEADER = re.compile(
    r"# ── (?:(?P<name>.+)\.(?P<about>grad|grad_fn|value)|(?P<kind>error|warning)): (?P<cause>\w+), line (?P<line>\d+)"
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


def cases() -> list[Case]:
    """Every labelled snippet, in file order."""
    found = []
    for path in sorted(pathlib.Path(__file__).parent.glob("*.txt")):
        parts = re.split(r"^(?=# ── )", path.read_text(), flags=re.MULTILINE)
        for number, part in enumerate(filter(None, parts), 1):
            header, code = part.split("\n", 1)
            label = HEADER.fullmatch(header)
            if label is None:
                raise ValueError(f"{path.name}: cannot read {header!r}")
            about = label["about"] or label["kind"]
            found.append(
                Case(f"{path.stem}-{number}", code, about, label["name"] or "", label["cause"], int(label["line"]))
            )
    return found
