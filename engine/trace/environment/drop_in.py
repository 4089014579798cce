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

from engine.ops.core import catalogue
from engine.torch import addresses, missing
from engine.trace import derivatives
from engine.trace.environment.finder import Finder

PACKAGE = "engine.torch"
FUNCTORCH = "engine.functorch"
ROOTS = ("torch", "functorch")
"""The packages that snippets know them by."""
HELPERS = frozenset({"absent", "addresses", "missing", "undisturbed"})
"""Files of that package that are no modules of PyTorch's."""
LATE_OPERATORS = (
    "engine.ops.core.older_overloads",
    "engine.ops.pointwise.library_exp",
    "engine.ops.pointwise.library_log",
    "engine.ops.pointwise.library_sine",
    "engine.ops.pointwise.single_functions",
    "engine.ops.pointwise.vector_hyperbolic",
    "engine.ops.pointwise.vector_pow",
    "engine.ops.pointwise.vector_sqrt",
    "engine.ops.neural.rounded_convolution",
    "engine.ops.neural.rounded_norms",
)
"""What operators import when they are first asked for it."""


@functools.cache
def load() -> dict[str, types.ModuleType]:
    """Imports the whole namespace once; returns its modules under the names that snippets use (``torch.nn``), which they
    have from then on.
    """
    package = importlib.import_module(PACKAGE)
    for part in pkgutil.walk_packages(package.__path__, PACKAGE + "."):
        importlib.import_module(part.name)
    for late in (
        "engine.random.distributions",
        "engine.printing.description",
        "ml_dtypes",
        "engine.ops.core.override_installation",
        "engine.transforms.columns",
        "engine.ops.meta",
        "engine.utils.data.workers",
        *LATE_OPERATORS,
        *package._LATE.values(),
    ):
        importlib.import_module(late)
    catalogue.complete()
    derivatives.load()
    missing.known()
    hide_own_files(package)
    modules = (
        {"functorch": importlib.import_module(FUNCTORCH)}
        | addresses.everything()
        | {
            "torch" + name.removeprefix(PACKAGE): module
            for name, module in list(sys.modules.items())
            if (name == PACKAGE or name.startswith(PACKAGE + ".")) and name.removeprefix(PACKAGE + ".") not in HELPERS
        }
    )
    take_identities(modules)
    return modules


def hide_own_files(package: types.ModuleType) -> None:
    """Takes from the namespace those of its files that PyTorch has no module of: ``torch.missing`` is a name of ours."""
    for name in HELPERS:
        vars(package).pop(name, None)


def take_identities(modules: dict[str, types.ModuleType]) -> None:
    """Makes each of our modules say that it is PyTorch's; where it lies on this machine is nobody's business.

    Once for the process: to do it and undo it for each run took a quarter of a small snippet's time.
    """
    for name, module in modules.items():
        if module.__name__.startswith((PACKAGE, FUNCTORCH)):
            path = name.replace(".", "/") + ("/__init__.py" if hasattr(module, "__path__") else ".py")
            spec = importlib.util.spec_from_file_location(name, path)
            if spec is not None:
                spec.origin = path
            vars(module).update(__name__=name, __file__=path, __spec__=spec)


@contextlib.contextmanager
def installed(main: types.ModuleType, filename: str) -> Iterator[None]:
    """``torch`` and ``__main__`` are the run's own inside the ``with``; stand-ins are found, then forgotten."""
    modules = {**load(), "__main__": main}
    # A module is in the table only where its package is: usually there is none, and hundreds of names need not be looked up.
    taken = modules if any(root in sys.modules for root in ROOTS) else ["__main__"]
    before = {name: sys.modules[name] for name in taken if name in sys.modules}
    finder = Finder(filename)
    sys.modules.update(modules)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        finder.forget()
        for name in modules:
            sys.modules.pop(name, None)
        sys.modules.update(before)
