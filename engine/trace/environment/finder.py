"""Finds the stand-ins for a snippet's imports, and what of Python's and PyTorch's own has to be stood in for."""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import linecache
import sys
import types
import warnings
from collections.abc import Sequence
from typing import Any

from engine.torch.missing import missing_module
from engine.trace.environment.stand_ins import ABSENT, SILENT, SILENT_PARTS, Silent, part_of, tqdm, trange
from engine.trace.environment.standard_library import IMPORTABLE

FAILURES = frozenset(("ModuleNotFoundError", "ImportError", "Exception", "BaseException"))
"""What catches an import that fails."""


def asks_in_earnest(frame: types.FrameType) -> bool:
    """Whether the import that runs has no other way out: it does not stand in a ``try`` that expects it to fail."""
    tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
    attempts = (node for node in ast.walk(tree) if isinstance(node, ast.Try) and spans(node.body, frame.f_lineno))
    return not any(expects_failure(handler) for attempt in attempts for handler in attempt.handlers)


def spans(body: Sequence[ast.stmt], line: int) -> bool:
    """Whether a line belongs to these statements."""
    return body[0].lineno <= line <= (body[-1].end_lineno or 0)


def expects_failure(handler: ast.ExceptHandler) -> bool:
    """Whether an ``except`` catches an import that fails."""
    if handler.type is None:
        return True
    return any(isinstance(node, ast.Name) and node.id in FAILURES for node in ast.walk(handler.type))


def is_elsewhere(name: str) -> bool:
    """Whether Python or PyTorch has a module of that name, and a snippet has not: it is about files, processes, other machines."""
    root = name.partition(".")[0]
    if root == "torch":
        return missing_module(name) is not None
    return root in sys.stdlib_module_names and name not in IMPORTABLE and root not in sys.builtin_module_names


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the stand-ins for imports that stand in the snippet itself (the engine may use the real ones).

    Comes first, so that a snippet meets the same modules wherever the engine is installed.
    """

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.found: set[str] = set()
        """Names that were handed out."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for the names above and what is below them.

        Raises:
            ModuleNotFoundError: the snippet has another way out for that.
        """
        root = fullname.partition(".")[0]
        silent = root in (*SILENT, "tqdm") or fullname in SILENT_PARTS
        if not (silent or root in ABSENT or is_elsewhere(fullname)):
            return None
        asking = self._asking()
        if asking is None:
            return None
        if not silent and not asks_in_earnest(asking):
            raise ModuleNotFoundError(missing_module(fullname) or f"No module named {fullname!r}", name=fullname)
        self.found.add(fullname)
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def forget(self) -> None:
        """Takes what was handed out from where Python's import put it: the table of modules, and the parent's attributes."""
        for name in self.found:
            stand_in = sys.modules.pop(name, None)
            parent, _, last = name.rpartition(".")
            if stand_in is not None and vars(sys.modules.get(parent, sys)).get(last) is stand_in:
                delattr(sys.modules[parent], last)

    def _asking(self) -> types.FrameType | None:
        """The innermost frame outside of the import system, if it is the snippet's."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and (
            frame.f_globals.get("__name__") == __name__ or "importlib" in frame.f_code.co_filename
        ):
            frame = frame.f_back
        return frame if frame is not None and frame.f_code.co_filename == self.filename else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The stand-in; a silent one warns once that it does nothing."""
        root = spec.name.split(".")[0]
        if root == "tqdm":
            module = types.ModuleType(spec.name)
            module.tqdm, module.trange = tqdm, trange  # type: ignore[attr-defined]  # a new module
            return module
        if root in SILENT or spec.name in SILENT_PARTS:
            if spec.name == root or spec.name in SILENT_PARTS:
                warnings.warn(f"{spec.name} is not available here: its calls do nothing and draw nothing", stacklevel=2)
            return _Module(spec.name, lambda name: Silent())
        module_name = spec.name if root == "torch" else root
        return _Module(spec.name, lambda name: part_of(module_name, f"{spec.name}.{name}"))

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to run."""


class _Module(types.ModuleType):
    """A module whose every attribute is made on demand."""

    def __init__(self, name: str, make: Any) -> None:
        super().__init__(name)
        self.__dict__["_make"] = make

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self.__dict__["_make"](name)
