"""What a snippet may import. All of it is loaded before the first run, since a run can open no file.

Packages that snippets often import and that are not here (matplotlib, torchvision) are `engine.trace.environment.stand_ins`' part.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

from engine.trace.environment import drop_in
from engine.trace.environment.standard_library import BEHIND_THE_SCENES, IMPORTABLE

NUMERIC = ("numpy",)


def preload() -> None:
    """Imports everything above, and all of the drop-in torch. Raises ImportError when one is missing."""
    for name in (*IMPORTABLE, *BEHIND_THE_SCENES, *NUMERIC):
        importlib.import_module(name)
    drop_in.load()


def explain_what_is_missing() -> None:
    """Replaces the search for files by an answer in words; what is loaded already stays importable."""
    sys.meta_path[:] = [importlib.machinery.BuiltinImporter, Explainer]
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()


class Explainer:
    """The last finder asked: says what there is instead."""

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Always raises ModuleNotFoundError, which opens with Python's own words."""
        raise ModuleNotFoundError(missing(name), name=name)


def missing(name: str) -> str:
    """What is said about a module that is not there."""
    top = name.partition(".")[0]
    if top in ("torch", *NUMERIC):
        return f"No module named {name!r}. This part of {top} is not played here."
    return (
        f"No module named {name!r}. A snippet can import torch, numpy and what is harmless of Python's own: math, "
        "random, collections and the like. Remove this import and what uses it: the rest can be played without it."
    )
