"""All programs of this folder, each played once for all tests."""

from __future__ import annotations

import functools

from engine.trace.document import Trace
from engine.trace.play import play
from tests.engine.trace.why.cases import cases
from tests.engine.trace.why.sound import sound

SNIPPETS = {**{case.id: case.code for case in cases()}, **sound()}


@functools.cache
def played(code: str) -> Trace:
    """The trace of a program, which no test changes."""
    return play(code)
