"""`import torch` in a snippet means our drop-in: module aliases for the time of a run."""

from __future__ import annotations

import contextlib
import functools
import importlib
import pkgutil
import sys
import types
from collections.abc import Iterator

from engine.ops.core import catalogue
from engine.torch import addresses, missing
from engine.trace import derivatives
from engine.trace.stand_ins import Finder

PACKAGE = "engine.torch"
LATE_OPERATORS = ("engine.ops.core.older_overloads", "engine.ops.pointwise.vector_sqrt")
"""What operators import when they are first asked for it."""


@functools.cache
def load() -> dict[str, types.ModuleType]:
    """Imports the whole namespace once; returns its modules under the names that snippets use (``torch.nn``)."""
    package = importlib.import_module(PACKAGE)
    for found in pkgutil.walk_packages(package.__path__, PACKAGE + "."):
        importlib.import_module(found.name)
    for late in (
        "engine.random.distributions",
        "engine.printing.description",
        "ml_dtypes",
        "engine.ops.core.overriding",
        "engine.transforms.columns",
        *LATE_OPERATORS,
    ):
        importlib.import_module(late)
    catalogue.complete()
    derivatives.load()
    missing.known()
    return addresses.everything() | {
        "torch" + name.removeprefix(PACKAGE): module
        for name, module in list(sys.modules.items())
        if name == PACKAGE or name.startswith(PACKAGE + ".")
    }


@contextlib.contextmanager
def installed(main: types.ModuleType, filename: str) -> Iterator[None]:
    """``torch`` and ``__main__`` are the run's own inside the ``with``; stand-ins are found, then forgotten."""
    modules = {**load(), "__main__": main}
    before = {name: sys.modules.get(name) for name in modules}
    finder = Finder(filename)
    sys.modules.update(modules)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
        for name in finder.found:
            sys.modules.pop(name, None)
