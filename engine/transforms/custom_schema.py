"""The declaration of a program's own operator, read from its function's annotations: ``(Tensor x, float k=2.) -> Tensor``."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.dtype import dtype
from engine.placement import device
from engine.tensor import Tensor

KINDS: dict[Any, str] = {
    Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", dtype: "ScalarType", device: "Device",
    int | float | bool: "Scalar",
}  # fmt: skip
"""What annotations mean."""


def kind_of_argument(annotation: Any) -> str | None:
    """``Tensor?``, ``SymInt[]`` …; None for what no operator takes."""
    if annotation in KINDS:
        return KINDS[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType) and type(None) in inner and len(inner) == 2:
        kind = kind_of_argument(next(each for each in inner if each is not type(None)))
        return None if kind is None else f"{kind}?"
    if origin in (list, Sequence) and inner:
        kind = kind_of_argument(inner[0])
        return None if kind is None else f"{kind}[]"
    return None


def kind_of_result(annotation: Any) -> str | None:
    """``Tensor``, ``(Tensor, Tensor)``, ``()`` …"""
    if annotation is None or annotation is type(None):
        return "()"
    if typing.get_origin(annotation) is tuple:
        parts = [kind_of_argument(each) for each in typing.get_args(annotation)]
        return None if None in parts else f"({', '.join(map(str, parts))})"
    return kind_of_argument(annotation)


def as_printed(schema: str) -> str:
    """A declaration as PyTorch prints it once it has read it: whole floats lose their zero."""
    return re.sub(r"=(-?\d+)\.0(?=[,)])", r"=\1.", schema)


def written_default(value: Any) -> str:
    """A default in a declaration."""
    return f'"{value}"' if isinstance(value, str) else str(value)


def infer_schema(prototype_function: Callable[..., Any], /, *, mutates_args: Any, op_name: str | None = None) -> str:
    """The declaration of a function with annotations; ``mutates_args`` names the tensors it writes to.

    Raises:
        ValueError: an annotation is missing, or says what no operator takes or gives.
    """
    signature = inspect.signature(prototype_function)
    wrong = f"Got func with signature {signature})"
    hints = typing.get_type_hints(prototype_function)
    written = {mutates_args} if isinstance(mutates_args, str) else set(mutates_args)
    parts: list[str] = []
    for place, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.annotation is parameter.empty:
            raise ValueError(f"infer_schema(func): Parameter {name} must have a type annotation. {wrong}")
        kind = kind_of_argument(hints[name])
        if kind is None:
            raise ValueError(f"infer_schema(func): Parameter {name} has unsupported type {hints[name]}. {wrong}")
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        if name in written or (written == {"unknown"} and kind.startswith("Tensor")):
            kind = kind.replace("Tensor", f"Tensor(a{place}!)")
        default = "" if parameter.default is parameter.empty else f"={written_default(parameter.default)}"
        parts.append(f"{kind} {name}{default}")
    unknown = written - {*signature.parameters, "unknown"}
    if unknown:
        raise ValueError(
            f"infer_schema(func): mutates_args should contain names of arguments, not {sorted(unknown)}. {wrong}"
        )
    if signature.return_annotation is signature.empty:
        raise ValueError(f"infer_schema(func): No return type annotation was provided. Please add one. {wrong}")
    result = kind_of_result(hints["return"])
    if result is None:
        raise ValueError(f"infer_schema(func): Return has unsupported type {hints['return']}. {wrong}")
    return f"{op_name or ''}({', '.join(parts)}) -> {result}"


def tensors_in(values: Iterable[Any]) -> list[Tensor]:
    """The tensors among arguments, those in lists included."""
    found: list[Tensor] = []
    for value in values:
        found += tensors_in(value) if isinstance(value, list | tuple) else [value] if isinstance(value, Tensor) else []
    return found
