"""From a scope of a trace outwards."""

from __future__ import annotations

from collections.abc import Iterator

from engine.trace.document import Trace


def around(trace: Trace, scope: int) -> Iterator[int]:
    """The scope and all that enclose it, innermost first."""
    current: int | None = scope
    while current is not None:
        yield current
        current = trace.scopes[current].parent
