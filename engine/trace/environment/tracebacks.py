"""What a snippet sees when it prints a traceback: its own frames, as with PyTorch, where C++ is below them."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

ENGINE = str(Path(__file__).resolve().parents[1])
WALKS = ("walk_tb", "_walk_tb_with_full_positions")
"""The functions of `traceback` that yield frames; every way to print one goes through them."""


@contextlib.contextmanager
def snippets_own() -> Iterator[None]:
    """Inside the ``with``, `traceback` passes over the engine's frames."""
    before = {name: getattr(traceback, name) for name in WALKS if hasattr(traceback, name)}
    for name, walk in before.items():
        setattr(traceback, name, passing_over(walk))
    try:
        yield
    finally:
        for name, walk in before.items():
            setattr(traceback, name, walk)


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs the engine's code, be it generated (``<string>``)."""
    module = str(frame.f_globals.get("__name__", ""))
    return frame.f_code.co_filename.startswith(ENGINE) or module.partition(".")[0] == "engine"


def passing_over(walk: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """The same walk without the engine's frames."""

    def call(tb: TracebackType | None) -> Iterator[Any]:
        return (found for found in walk(tb) if not is_ours(found[0]))

    return call
