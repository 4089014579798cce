"""Nested tuples, lists and dictionaries of tensors: taken apart and put together again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Shape = Any
"""``"leaf"``, or (kind, children) with kind tuple, list, dict (with its keys) or a named tuple's class."""


def flatten(value: Any) -> tuple[list[Any], Shape]:
    """Its leaves in order, and its shape."""
    leaves: list[Any] = []
    return leaves, _shape_of(value, leaves)


def _shape_of(value: Any, leaves: list[Any]) -> Shape:
    if isinstance(value, dict):
        return ("dict", [_shape_of(v, leaves) for v in value.values()], (type(value), list(value)))
    if isinstance(value, tuple | list):
        kind = type(value) if hasattr(value, "_fields") else "tuple" if isinstance(value, tuple) else "list"
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
    return kind(*children)


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


def spread(dims: Any, value: Any) -> list[Any] | None:
    """One dimension per leaf, from a structure of dimensions that may stop early; None if it does not fit the value."""
    if isinstance(value, dict) and isinstance(dims, dict):
        parts = [spread(dims.get(key, "missing"), item) for key, item in value.items()]
    elif isinstance(value, tuple | list) and isinstance(dims, type(value)):
        if len(dims) != len(value):
            return None
        parts = [spread(dim, item) for dim, item in zip(dims, value, strict=True)]
    elif isinstance(dims, tuple | list | dict):
        return None
    else:
        return [dims for _ in flatten(value)[0]]
    return None if any(part is None for part in parts) else [dim for part in parts if part is not None for dim in part]
