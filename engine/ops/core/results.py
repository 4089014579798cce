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
        return f"{spelled}(\n{body})"

    spelled = f"torch.return_types.{name}"

    def make(cls: type, values: Any) -> Any:
        try:
            made: Any = tuple.__new__(cls, values)
        except TypeError:
            raise TypeError("constructor requires a sequence") from None
        if len(made) != len(fields):
            raise TypeError(f"{spelled}() takes a {len(fields)}-sequence ({len(made)}-sequence given)")
        return made

    def lacking(self: tuple[Any, ...], attribute: str) -> Any:
        raise AttributeError(f"'{spelled}' object has no attribute '{attribute}'", name=attribute, obj=self)

    def fixed(self: tuple[Any, ...], attribute: str, value: Any) -> None:
        if attribute in fields:
            raise AttributeError("readonly attribute")
        lacking(self, attribute)

    body: dict[str, Any] = {
        "__slots__": (),
        "__new__": make,
        "__getattr__": lacking,
        "__setattr__": fixed,
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
