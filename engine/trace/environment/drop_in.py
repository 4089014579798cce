"""`import torch` in a snippet means our drop-in: module aliases for the time of a run."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import pkgutil
import sys
import types
from collections.abc import Iterator
from typing import Any

from engine.ops.core import catalogue
from engine.torch import addresses, missing
from engine.trace import derivatives
from engine.trace.environment.finder import Finder

PACKAGE = "engine.torch"
FUNCTORCH = "engine.functorch"
HELPERS = frozenset({"absent", "addresses", "missing", "undisturbed"})
"""Files of that package that are no modules of PyTorch's."""
LATE_OPERATORS = (
    "engine.ops.core.older_overloads",
    "engine.ops.pointwise.vector_sqrt",
    "engine.ops.neural.rounded_norms",
)
"""What operators import when they are first asked for it."""


@functools.cache
def load() -> dict[str, types.ModuleType]:
    """Imports the whole namespace once; returns its modules under the names that snippets use (``torch.nn``)."""
    package = importlib.import_module(PACKAGE)
    for part in pkgutil.walk_packages(package.__path__, PACKAGE + "."):
        importlib.import_module(part.name)
    for late in (
        "engine.random.distributions",
        "engine.printing.description",
        "ml_dtypes",
        "engine.ops.core.overriding",
        "engine.transforms.columns",
        "engine.ops.meta",
        *LATE_OPERATORS,
        *package._LATE.values(),
    ):
        importlib.import_module(late)
    catalogue.complete()
    derivatives.load()
    missing.known()
    hide_own_files(package)
    return (
        {"functorch": importlib.import_module(FUNCTORCH)}
        | addresses.everything()
        | {
            "torch" + name.removeprefix(PACKAGE): module
            for name, module in list(sys.modules.items())
            if (name == PACKAGE or name.startswith(PACKAGE + ".")) and name.removeprefix(PACKAGE + ".") not in HELPERS
        }
    )


def hide_own_files(package: types.ModuleType) -> None:
    """Takes from the namespace those of its files that PyTorch has no module of: ``torch.missing`` is a name of ours."""
    for name in HELPERS:
        vars(package).pop(name, None)


@functools.cache
def identities() -> list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Each of our modules' attributes, what they say it is, and what a snippet should read there instead.

    PyTorch's name; and where the module lies on this machine is nobody's business.
    """
    found = []
    for name, module in load().items():
        if module.__name__.startswith((PACKAGE, FUNCTORCH)):
            own = {attribute: vars(module).get(attribute) for attribute in ("__name__", "__file__", "__spec__")}
            path = name.replace(".", "/") + ("/__init__.py" if hasattr(module, "__path__") else ".py")
            spec = importlib.util.spec_from_file_location(name, path)
            if spec is not None:
                spec.origin = path
            found.append((vars(module), own, {"__name__": name, "__file__": path, "__spec__": spec}))
    return found


@contextlib.contextmanager
def installed(main: types.ModuleType, filename: str) -> Iterator[None]:
    """``torch`` and ``__main__`` are the run's own inside the ``with``; stand-ins are found, then forgotten."""
    modules = {**load(), "__main__": main}
    before = {name: sys.modules.get(name) for name in modules}
    finder = Finder(filename)
    sys.modules.update(modules)
    for attributes, _, shown in identities():
        attributes.update(shown)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        finder.forget()
        for attributes, own, _ in identities():
            attributes.update(own)
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
