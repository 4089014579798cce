"""How often Python looks for reference cycles while a program is watched."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OURS = 7
"""Objects that the recorder makes and keeps for each one of the program's own, at least."""


@contextmanager
def as_unwatched() -> Iterator[None]:
    """The collector runs about as often as it would without us: it counts what the recorder keeps like the program's own objects,
    and went through all of it again and again.
    """
    youngest, *older = gc.get_threshold()
    gc.set_threshold(youngest * (1 + OURS), *older)
    try:
        yield
    finally:
        gc.set_threshold(youngest, *older)
