"""What a snippet sees when it prints a traceback: its own frames, as with PyTorch, where C++ is below them."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, TypeGuard

ENGINE = str(Path(__file__).resolve().parents[1])
WALKS = ("walk_tb", "_walk_tb_with_full_positions")
"""The functions of `traceback` that yield frames; every way to print one goes through them."""
WALK = traceback.walk_tb
"""Over all frames, the engine's too."""


@contextlib.contextmanager
def snippets_own() -> Iterator[None]:
    """Inside the ``with``, `traceback` passes over the engine's frames."""
    before = {name: getattr(traceback, name) for name in WALKS if hasattr(traceback, name)}
    printed = traceback.TracebackException
    for name, walk in before.items():
        setattr(traceback, name, passing_over(walk))
    setattr(traceback, printed.__name__, ToldOnce)
    try:
        yield
    finally:
        for name, walk in before.items():
            setattr(traceback, name, walk)
        setattr(traceback, printed.__name__, printed)


class ToldOnce(traceback.TracebackException):
    """An error as it is printed, without the one inside the engine that it was made from."""

    def __init__(self, kind: Any, error: Any, *args: Any, **kwargs: Any) -> None:
        if error is not None:  # there is none where `traceback.print_exc` is called without one
            forget_inner(error)
        super().__init__(kind, error, *args, **kwargs)


def forget_inner(error: BaseException) -> None:
    """Cuts out of an error's history what never left the engine: with PyTorch it was C++, and nobody saw it."""
    while is_inner(error.__context__):
        error.__context__ = error.__context__.__context__
    if is_inner(error.__cause__):
        error.__cause__ = None


def is_inner(error: BaseException | None) -> TypeGuard[BaseException]:
    """Whether an error was raised and caught in the engine, without a line of the snippet between."""
    if error is None or error.__traceback__ is None:
        return False
    return all(is_ours(frame) for frame, _ in WALK(error.__traceback__))


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs the engine's code, be it generated (``<string>``)."""
    module = str(frame.f_globals.get("__name__", ""))
    return frame.f_code.co_filename.startswith(ENGINE) or module.partition(".")[0] == "engine"


def passing_over(walk: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """The same walk without the engine's frames."""

    def call(tb: TracebackType | None) -> Iterator[Any]:
        return (found for found in walk(tb) if not is_ours(found[0]))

    return call
