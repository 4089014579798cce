"""Records which modules PyTorch has, as ``engine/torch/known_modules.json``: run with a Python that has torch 2.13.0.

    python -m tests.oracle.known_modules engine/torch/known_modules.json

Per public module, the names that it defines or lists: they let the engine serve ``torch.nn.modules.linear`` from
what it has as ``torch.nn``, and tell a module it lacks from one that never was.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
import warnings
from pathlib import Path

import torch

from engine.torch.missing import ELSEWHERE


def record() -> dict[str, list[str]]:
    """Public names by module; a module that cannot be imported on this machine is listed with none."""
    found = {}
    for module in pkgutil.walk_packages(torch.__path__, "torch.", onerror=lambda name: None):
        if not private(module.name) and not beside_the_point(module.name):
            found[module.name] = public(module.name)
    return dict(sorted(found.items()))


def private(name: str) -> bool:
    """Whether it is for PyTorch's own use; people do import ``torch.utils._pytree``."""
    return "._" in name and name != "torch.utils._pytree"


def beside_the_point(name: str) -> bool:
    """Whether it belongs to a part that has no place in a traced run: the part's own name is enough."""
    parts = name.split(".")[1:]
    return bool(ELSEWHERE.intersection(parts[:-1]))


def public(name: str) -> list[str]:
    """What is defined in the module, or listed by it: what people import from there."""
    try:
        module = importlib.import_module(name)
    except (ImportError, AttributeError, RuntimeError, OSError, SystemExit):
        return []
    defined = {key for key, value in vars(module).items() if getattr(value, "__module__", None) == name}
    return sorted(key for key in defined | set(getattr(module, "__all__", ())) if not key.startswith("_"))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    Path(sys.argv[1]).write_text(json.dumps(record(), separators=(",", ":")) + "\n")
