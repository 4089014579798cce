"""What a node saved, as the trace tells it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from engine.trace.encodable import written


def saved_entries(node: Any) -> list[tuple[str, Any]]:
    """(name, entry) for everything kept under a name that PyTorch shows; list elements are numbered.

    What a guarded argument did not need (None) and the engine's own notes (a leading underscore) are left out.
    """
    saved = node.saved
    if not isinstance(saved, tuple):
        return []
    if node.operator is None and hasattr(node, "_forward_cls"):
        # A person's own function: what save_for_backward() was given, None included.
        return [(f"saved_tensors[{place}]", entry) for place, entry in enumerate(saved) if entry is not None]
    entries: list[tuple[str, Any]] = []
    for name, entry in zip(node.saved_names, saved, strict=False):
        if entry is None or name[0] == "_":
            continue
        if type(entry) is list:
            entries += [(f"{name}[{position}]", part) for position, part in enumerate(entry)]
        else:
            entries.append((name, entry))
    return entries


def freed_names(names: Sequence[str]) -> list[str]:
    """The names among those freed that PyTorch shows."""
    return [name for name in names if not name.startswith("_")]


PLAIN = frozenset({bool, int, float, complex, str, slice, type(None)})
"""Types whose ``repr`` is as people write them."""


def plain_text(value: Any) -> str:
    """A saved plain value as people read it; never an address."""
    if type(value) in PLAIN and value != sys.maxsize:
        return written(value)
    if isinstance(value, tuple | list):
        if all(type(part) is int and part < sys.maxsize for part in value):
            return written(list(value))  # sizes and strides, the usual case
        return "[" + ", ".join(map(plain_text, value)) + "]"
    if value == sys.maxsize and type(value) is int:
        return "the end"  # PyTorch's own way to say: up to the last element
    text = written(value)
    return type(value).__name__ if " at 0x" in text else text
