"""Nested tuples, lists and dictionaries of tensors: taken apart and put together again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.ops.core.results import TYPES

Shape = Any
"""``"leaf"``, or (kind, children) with kind tuple, list, dict (with its keys) or the class of a named tuple or structured result."""


def flatten(value: Any) -> tuple[list[Any], Shape]:
    """Its leaves in order, and its shape."""
    leaves: list[Any] = []
    return leaves, _shape_of(value, leaves)


def _shape_of(value: Any, leaves: list[Any]) -> Shape:
    if isinstance(value, dict):
        return ("dict", [_shape_of(v, leaves) for v in value.values()], (type(value), list(value)))
    if isinstance(value, tuple | list):
        named = hasattr(value, "_fields") or type(value) in TYPES.values()
        kind = type(value) if named else "tuple" if isinstance(value, tuple) else "list"
        return (kind, [_shape_of(v, leaves) for v in value])
    leaves.append(value)
    return "leaf"


def rebuild(shape: Shape, leaves: list[Any]) -> Any:
    """The value of that shape with these leaves."""
    return _rebuild(shape, iter(leaves))


def _rebuild(shape: Shape, leaves: Iterator[Any]) -> Any:
    if shape == "leaf":
        return next(leaves)
    kind, children = shape[0], [_rebuild(child, leaves) for child in shape[1]]
    if kind == "tuple":
        return tuple(children)
    if kind == "list":
        return children
    if kind == "dict":
        container, keys = shape[2]
        return container(zip(keys, children, strict=True))
    return kind(*children) if hasattr(kind, "_fields") else kind(children)


def spec(shape: Shape, indent: int = 0) -> str:
    """The shape as PyTorch writes it: ``TreeSpec(tuple, None, [*,`` and the other parts on lines of their own."""
    if shape == "leaf":
        return "*"
    kind, children, *keys = shape
    context = keys[0][1] if keys else None if isinstance(kind, str) else kind
    between = ",\n" + " " * (indent + 2)
    return f"TreeSpec({kind if isinstance(kind, str) else 'namedtuple'}, {context}, [" + (
        between.join(spec(child, indent + 2) for child in children) + "])"
    )


def drawn(shape: Shape) -> str:
    """The shape as Python writes such a value, a star for each leaf: ``{'a': *, 'b': (*,)}``."""
    if shape == "leaf":
        return "*"
    kind, children, *rest = shape
    parts = [drawn(child) for child in children]
    if kind == "list":
        return f"[{', '.join(parts)}]"
    if kind == "dict":
        return "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(rest[0][1], parts, strict=True)) + "}"
    if kind == "tuple":
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    named = zip(kind.__match_args__, parts, strict=True)
    return f"{kind.__name__}({', '.join(f'{name}={part}' for name, part in named)})"


def spread(dims: Any, value: Any) -> list[Any] | None:
    """One dimension per leaf, from a structure of dimensions that may stop early; None if it does not fit the value."""
    if isinstance(value, dict) and isinstance(dims, dict):
        if dims.keys() != value.keys():
            return None
        parts = [spread(dims[key], item) for key, item in value.items()]
    elif isinstance(value, tuple | list) and isinstance(dims, type(value)):
        if len(dims) != len(value):
            return None
        parts = [spread(dim, item) for dim, item in zip(dims, value, strict=True)]
    elif isinstance(dims, tuple | list | dict):
        return None
    else:
        return [dims for _ in flatten(value)[0]]
    return None if any(part is None for part in parts) else [dim for part in parts if part is not None for dim in part]
