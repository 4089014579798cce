"""Backward passes inside backward passes, however deep.

PyTorch hands every 60th nested pass to another thread, whose stack is empty. Here everything runs in one thread, and the
room that Python leaves for calls grows by as much instead, up to `DEEPEST` passes: beyond that a program that never
ends its recursion gets its RecursionError.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

STRETCH = 60
"""Nested passes that share one allowance of calls."""
CALLS = 1000
"""Python's own allowance for a thread."""
DEEPEST = 3000
"""Nested passes that are given room."""


@contextmanager
def room_for(depth: int) -> Iterator[None]:
    """Inside, calls may nest deeper by one allowance, if ``depth`` passes are not too many already."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + (CALLS if depth <= DEEPEST else 0))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
