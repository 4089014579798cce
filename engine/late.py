"""A module that is imported when something is first asked of it: importing torch should be quick."""

from __future__ import annotations

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
