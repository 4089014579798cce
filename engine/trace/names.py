"""What the snippet calls its tensors: variables, attributes, elements of containers, parameters of modules.

Looking never runs the snippet's code: attributes are read from ``__dict__``, containers must be exactly list, tuple or
of `MAPPINGS`, and modules are walked through the three dictionaries that ``nn.Module`` keeps.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from typing import Any

from engine.tensor import Tensor
from engine.trace.encodable import written

MISSING = object()
DEEPEST = 4
"""Containers inside containers that are looked into."""
LONGEST = 64
"""Elements of a container that are looked at."""
LONGEST_KEY = 120
"""Characters of a key that anybody reads as part of a name."""
MAPPINGS = (dict, defaultdict, OrderedDict)
"""Kinds of dict whose entries can be read without running code of the snippet's."""
_MODULE_TABLES = ("_parameters", "_buffers", "_modules")


def attribute(value: Any, name: str) -> Any:
    """``value.name`` without running any code of the snippet's; MISSING when it isn't a plain attribute."""
    own = type.__getattribute__(value, "__dict__") if isinstance(value, type) else fields(value)
    if own is None:
        return MISSING
    if name in own:
        return own[name]
    for table in _MODULE_TABLES:
        entries = own.get(table)
        if isinstance(entries, dict) and name in entries:
            return entries[name]
    return MISSING


def fields(value: Any) -> dict[str, Any] | None:
    """The object's ``__dict__``, read past any ``__getattribute__``."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return own if type(own) is dict else None


def name_of_class(kind: type) -> tuple[str, str]:
    """Where a class says it is from and what it is called, read past its metaclass; what is no text is left empty."""
    found = (type.__dict__[name].__get__(kind) for name in ("__module__", "__name__"))
    module, name = (text if type(text) is str else "" for text in found)
    return module, name


def is_module(value: Any) -> bool:
    """Whether it is an ``nn.Module`` that was initialised."""
    own = fields(value)
    return own is not None and isinstance(own.get("_parameters"), dict) and isinstance(own.get("_modules"), dict)


def contents(name: str, value: Any, depth: int = 0) -> Iterator[tuple[str, Tensor]]:
    """The tensors that ``value`` holds, each with the expression that reaches it: ``xs[2]``, ``model.fc1.weight``."""
    if depth > DEEPEST:
        return
    for part, inner in _parts(name, value):
        if isinstance(inner, Tensor):
            yield part, inner
        else:
            yield from contents(part, inner, depth + 1)


def modules(name: str, value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The modules that ``value`` is or holds, each with the expression that reaches it: ``model.fc1``."""
    if depth > DEEPEST:
        return
    if is_module(value):
        yield name, value
    for part, inner in _parts(name, value):
        if not isinstance(inner, Tensor):
            yield from modules(part, inner, depth + 1)


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    kind = type(value)
    if kind is list or kind is tuple:
        count = len(value)
        for index in [*range(min(count, LONGEST)), *([count - 1] if count > LONGEST else [])]:
            yield f"{name}[{index}]", value[index]
    elif kind in MAPPINGS:
        for key, inner in itertools.islice(value.items(), LONGEST):
            if type(key) in (str, int) and len(spelt := written(key)) <= LONGEST_KEY:
                yield f"{name}[{spelt}]", inner
    elif (own := fields(value)) is not None and not isinstance(value, type):
        yield from _attributes(name, value, own)


def _attributes(name: str, value: Any, own: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What a module registers, then what an object of a class of the snippet's has."""
    if is_module(value):
        for key, inner in (entry for table in _MODULE_TABLES for entry in (own.get(table) or {}).items()):
            yield (f"{name}[{key}]" if str(key).isdigit() else f"{name}.{key}"), inner
    if type(value).__module__ == "__main__":
        for key, inner in list(own.items())[:LONGEST]:
            if key not in _MODULE_TABLES:
                yield f"{name}.{key}", inner
