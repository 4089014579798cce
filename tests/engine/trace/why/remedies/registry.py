"""What following the words of a remedy means, by the pattern of its words."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.engine.trace.why.remedies.edits import Broken

Follow = Callable[[Broken, "re.Match[str]"], list[str]]
"""The repaired programs: one for each way that the remedy offers."""
FOLLOWED: list[tuple[re.Pattern[str], Follow]] = []


def says(pattern: str) -> Callable[[Follow], Follow]:
    """Registers what a remedy of these words does to a program; the words keep their marks (``)."""

    def register(function: Follow) -> Follow:
        FOLLOWED.append((re.compile(pattern), function))
        return function

    return register
