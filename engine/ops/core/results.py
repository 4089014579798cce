"""Structured results: ``torch.return_types.max(values=…, indices=…)``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

TYPES: dict[str, Any] = {}
"""Every structured result type by operator name; published as ``torch.return_types``."""


def result_type(name: str, fields: tuple[str, ...]) -> Callable[[Sequence[Any]], Any] | None:
    """The constructor of an operator's result; None for a plain tuple."""
    if not fields or fields == ("tuple",):
        return None
    if name not in TYPES or TYPES[name].__match_args__ != fields:
        TYPES[name] = structured(name, fields)
    made: Callable[[Sequence[Any]], Any] = TYPES[name]
    return made


def structured(name: str, fields: tuple[str, ...]) -> type:
    """A tuple with named fields and PyTorch's repr (one field a line)."""

    def show(self: tuple[Any, ...]) -> str:
        body = ",\n".join(f"{f}={v!r}" for f, v in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{body})"

    body: dict[str, Any] = {
        "__slots__": (),
        "__match_args__": fields,
        "__repr__": show,
        "__module__": "torch.return_types",
        "n_fields": len(fields),
        "n_sequence_fields": len(fields),
        "n_unnamed_fields": 0,
    }
    for i, field in enumerate(fields):
        body[field] = property(operator.itemgetter(i))
    return type(name, (tuple,), body)
