"""Modules that are imported when something is first asked of them: importing torch should be quick."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


class Late:
    """Stands for the module ``name``; what was asked for once is at hand from then on."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(import_module(self._name), attribute)
        setattr(self, attribute, found)
        return found


@contextmanager
def without_collecting() -> Iterator[None]:
    """Holds the garbage collector back while much is made that will stay."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
