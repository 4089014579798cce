"""PyTorch's module addresses that have no file here: ``torch.nn.modules.linear``, ``torch.optim.sgd`` and their like.

PyTorch defines each layer, optimizer and distribution in a file of its own and offers it one level up too. Which file
defines what is recorded in ``known_modules.json`` (by ``tests/oracle/known_modules.py``); the things themselves are taken
from where this engine has them, so no table of names is kept by hand.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

PACKAGE = "engine.torch"
HOMES: dict[str, tuple[str, ...]] = {
    "torch.distributions.constraints": ("engine.distributions.constraints",),
    "torch.distributions.constraint_registry": ("engine.distributions.constraint_registry",),
    "torch.distributions.kl": ("engine.distributions.divergence",),
    "torch.distributions.utils": ("engine.distributions.parameters",),
    "torch.nn.modules.batchnorm": ("engine.nn.batch_norm",),
    "torch.nn.modules.conv": ("engine.nn.convolution",),
    "torch.nn.modules.dropout": ("engine.nn.dropout",),
    "torch.nn.modules.instancenorm": ("engine.nn.instance_norm",),
    "torch.nn.modules.loss": ("engine.nn.loss",),
    "torch.nn.modules.pooling": ("engine.nn.pooling",),
    "torch.nn.parallel": ("engine.nn.data_parallel",),
    "torch.nn.parallel.distributed": ("engine.nn.data_parallel",),
    "torch.nn.qat": (),
    "torch.nn.quantized": (),
    "torch.nn.utils.prune": (),
    "torch.storage": ("engine.storage", "engine.ops.tensors.storage"),
    "torch.utils.hooks": ("engine.autograd.handles",),
}
"""Where a module's things are before one level up; nowhere at all, if empty."""
GENERIC = {"Any", "Callable", "Module", "Tensor", "is_available", "version"}
"""Names that say nothing about a module: many have something so called."""


@functools.cache
def known_modules() -> dict[str, list[str]]:
    """PyTorch's public modules, and what each defines."""
    import json  # here, since importing torch should be quick

    with open(os.path.join(os.path.dirname(__file__), "known_modules.json"), "rb") as file:
        found: dict[str, list[str]] = json.load(file)
    return found


def homes(place: str) -> Iterator[ModuleType]:
    """The modules of this engine that may have what PyTorch's ``place`` defines, nearest first."""
    if place in HOMES:
        yield from map(importlib.import_module, HOMES[place])
        if not HOMES[place]:
            return
    parent = place.rpartition(".")[0]
    while parent.count("."):  # not ``torch`` itself: it has names of everything
        module = sys.modules.get(PACKAGE + parent.removeprefix("torch"))
        if module is not None:
            yield module
        parent = parent.rpartition(".")[0]


@functools.cache
def derived(place: str) -> ModuleType | None:
    """The module at PyTorch's address ``place``, made of what this engine has of it.

    None: PyTorch has no such module, or the engine has nothing of what it defines.
    """
    wanted = set(known_modules().get(place, ())) - GENERIC
    found: dict[str, Any] = {}
    for home in homes(place) if wanted else ():
        for name in wanted:
            if name not in found and not isinstance(vars(home).get(name, home), ModuleType):
                found[name] = vars(home)[name]
    if not found:
        return None
    from engine.torch.missing import module_getattr  # which asks here first

    module = ModuleType(PACKAGE + place.removeprefix("torch"), f"``{place}``: where PyTorch defines what is below.")
    module.__dict__.update(found)
    absent = module_getattr(place, module.__dict__)

    def look_up(name: str) -> Any:
        """Base classes with an underscore (``_BatchNorm``, ``_Loss``), which people do import."""
        if not name.startswith("__"):
            for home in homes(place):
                if isinstance(vars(home).get(name), type):
                    return vars(home)[name]
        return absent(name)

    module.__dict__["__getattr__"] = look_up
    return module


def module_at(place: str) -> ModuleType | None:
    """The module at PyTorch's address ``place``: a file of this package, or derived. None: there is nothing of it."""
    return (submodule(place) or derived(place)) if place in known_modules() else None


def submodule(place: str) -> ModuleType | None:
    """The module at PyTorch's address ``place`` that is a file of this package, imported if need be."""
    from importlib.util import find_spec  # here, since importing torch should be quick

    name = PACKAGE + place.removeprefix("torch")
    holds_files = hasattr(sys.modules.get(name.rpartition(".")[0]), "__path__")
    return importlib.import_module(name) if holds_files and find_spec(name) else None


def everything() -> dict[str, ModuleType]:
    """What there is at PyTorch's addresses apart from files of this package, by address: derived, or from elsewhere in the engine."""
    found = {place: attribute(place) or derived(place) for place in known_modules()}
    files = {"torch" + name.removeprefix(PACKAGE) for name in sys.modules if name.startswith(PACKAGE)}
    return {place: module for place, module in found.items() if module is not None and place not in files}


def attribute(place: str) -> ModuleType | None:
    """The module that is reached as ``place`` by attributes."""
    value: Any = sys.modules[PACKAGE]
    for part in place.split(".")[1:]:
        value = vars(value).get(part) if isinstance(value, ModuleType) else None
    return value if isinstance(value, ModuleType) else None
