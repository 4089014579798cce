"""PyTorch's own signatures: by place and name, what its argument parser expects of a call.

They are recorded in ``signatures.json`` by ``tests/oracle/known_signatures.py``.
"""

from __future__ import annotations

import functools
import json
import os
import re
from typing import NamedTuple

from engine.ops.core.signature import RENAMED

FILE = os.path.join(os.path.dirname(__file__), "signatures.json")


class Expected(NamedTuple):
    """A parameter of a signature."""

    kind: str
    name: str
    optional: bool
    keyword_only: bool
    nullable: bool


class Expectation(NamedTuple):
    """A signature: how it is shown, and its parameters."""

    shown: str
    parameters: tuple[Expected, ...]

    @property
    def positional(self) -> int:
        """How many arguments may be given without a name."""
        return sum(not p.keyword_only for p in self.parameters)

    def takes(self, name: str) -> bool:
        """Whether there is a parameter of that name."""
        return any(p.name == name for p in self.parameters)

    @property
    def required(self) -> int:
        """How many must be given."""
        return sum(not p.optional for p in self.parameters)


@functools.cache
def signatures() -> dict[str, dict[str, list[str]]]:
    """By place and name. Read when a call first fails; a process that may open no file reads it before (`catalogue.complete`)."""
    with open(FILE, "rb") as file:
        read: dict[str, dict[str, list[str]]] = json.load(file)
    return read


@functools.cache
def expectations(place: str, name: str) -> tuple[Expectation, ...] | None:
    """What may be given to a function; None if PyTorch's parser does not see its calls."""
    texts = signatures().get(place, {}).get(name)
    return None if texts is None else tuple(map(expectation, texts))


def expectation(text: str) -> Expectation:
    """Reads a signature such as ``Tensor input, int dim, bool keepdim = False, *, Tensor out = None``."""
    parameters: list[Expected] = []
    keyword_only = False
    for part in re.split(r", (?![^\[]*\])", text):  # not within a default such as [0, 0]
        if part == "*":
            keyword_only = True
        elif part:
            words, _, default = part.partition(" = ")
            kind, _, name = words.rpartition(" ")
            empty = default in ("()", "[]") and kind.startswith("tuple of ints")
            nullable = default == "None" or empty or kind.endswith("?")
            parameters.append(Expected(kind.removesuffix("?"), name, bool(default), keyword_only, nullable))
    return Expectation(as_shown(text), tuple(parameters))


def as_shown(text: str) -> str:
    """A signature, or a kind, without what ``tests/oracle/known_signatures.py`` adds to it."""
    return text.replace("ints[1]", "ints").replace("int[size]", "int").replace("? ", " ")


def spellings(parameter: str) -> tuple[str, ...]:
    """The name and numpy's names for the same."""
    own = "self" if parameter == "input" else parameter
    return (parameter, *(other for other, name in RENAMED.items() if name == own and other != parameter))
