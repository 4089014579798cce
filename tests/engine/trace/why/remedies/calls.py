"""Calls that were refused: the piece of source to write in another's place."""

from __future__ import annotations

import re

from tests.engine.trace.why.remedies.edits import Broken
from tests.engine.trace.why.remedies.registry import says

WRITE = re.compile(r"Write `(?P<new>[^`]+)` in place of `(?P<old>[^`]+)` on line (?P<line>\d+)")


@says(WRITE.pattern)
def in_place_of(broken: Broken, found: re.Match[str]) -> list[str]:
    """Each piece on its line, once."""
    lines = [*broken.lines]
    for piece in WRITE.finditer(found.string):
        place = int(piece["line"]) - 1
        assert piece["old"] in lines[place]
        lines[place] = lines[place].replace(piece["old"], piece["new"], 1)
    return ["\n".join(lines)]


@says(r"Insert `super\(\)\.__init__\(\)` before line (\d+)")
def base_first(broken: Broken, found: re.Match[str]) -> list[str]:
    """With the indentation of that line."""
    lines = [*broken.lines]
    place = int(found[1]) - 1
    indentation = re.match(r"\s*", lines[place])
    assert indentation is not None
    return ["\n".join([*lines[:place], f"{indentation[0]}super().__init__()", *lines[place:]])]


@says(r"Insert `(return \w+)` behind line (\d+)")
def return_last(broken: Broken, found: re.Match[str]) -> list[str]:
    """With the indentation of that line."""
    lines, place = [*broken.lines], int(found[2])
    indentation = re.match(r"\s*", lines[place - 1])
    assert indentation is not None
    return ["\n".join([*lines[:place], f"{indentation[0]}{found[1]}", *lines[place:]])]
