"""What an operator of a program's own is given for an argument, as its declaration says: ``2`` arrives at a ``float`` as 2.0."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.tensor import Tensor


class Uncastable(Exception):
    """A value that an argument of this kind does not take; the message is PyTorch's detail."""


def declared_kinds(schema: str) -> dict[str, str]:
    """``Tensor``, ``float?``, ``SymInt[]`` … by the names of a declaration's arguments; what marks a write is left out."""
    arguments = schema[: schema.rindex("->")].partition("(")[2]
    plain = re.sub(r"\(a\d*!?\)", "", arguments)
    return {name: kind for kind, name in re.findall(r"([A-Za-z]+(?:\[\d*\])?\??) (\w+)", plain)}


def cast(kind: str, value: Any) -> Any:
    """The value as an argument of this kind gets it.

    Raises:
        Uncastable: the kind does not take it.
    """
    if kind.endswith("?"):
        return None if value is None else cast(kind[:-1], value)
    if kind.endswith("]"):
        if not isinstance(value, list | tuple):
            raise Uncastable(unable(value))
        return [one_of_several(kind.partition("[")[0], each, value) for each in value]
    return CASTS[kind](value) if kind in CASTS else value


def one_of_several(kind: str, value: Any, whole: Any) -> Any:
    """A list's entry.

    Raises:
        Uncastable: it is not of the list's kind.
    """
    try:
        return cast(kind, value)
    except Uncastable:
        raise Uncastable(unable(whole)) from None


def unable(value: Any) -> str:
    """PyTorch's detail about a value of the wrong type."""
    shown = "<class 'torch.Tensor'>" if isinstance(value, Tensor) else type(value)
    return (
        f"Unable to cast Python instance of type {shown} to C++ type '?' (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in "
        "debug mode for details)"
    )


def as_tensor(value: Any) -> Any:
    """A tensor, itself."""
    if not isinstance(value, Tensor):
        raise Uncastable(f"Unable to cast {value} to Tensor")
    return value


def as_text(value: Any) -> Any:
    """A string, itself."""
    if not isinstance(value, str):
        raise Uncastable(unable(value))
    return value


def as_scalar(value: Any) -> Any:
    """Python's number of any type, itself."""
    if not isinstance(value, int | float | complex):
        raise Uncastable(f"Cannot cast {value!s} to number")
    return value


def as_number(to: Callable[[Any], Any], takes: tuple[type, ...]) -> Callable[[Any], Any]:
    """A number of one type, from others and from tensors of a single element."""

    def number(value: Any) -> Any:
        single = isinstance(value, Tensor) and value.numel() == 1
        if not single and not isinstance(value, takes):
            raise Uncastable(unable(value))
        return to(value.item() if isinstance(value, Tensor) else value)

    return number


CASTS: dict[str, Callable[[Any], Any]] = {
    "Tensor": as_tensor,
    "str": as_text,
    "Scalar": as_scalar,
    "float": as_number(float, (int, float, np.number, np.bool_)),
    "SymInt": as_number(int, (int, np.number, np.bool_)),
    "int": as_number(int, (int, np.number, np.bool_)),
    "bool": as_number(bool, (int, float, complex, type(None), np.number, np.bool_)),
}
"""What the kinds make of a value; others take everything."""
WORDS = {"SymInt": "int", "Scalar": "number"}
"""Kinds that messages name otherwise."""


def in_words(kind: str) -> str:
    """``Optional[float]`` for ``float?``, ``List[int]`` for ``SymInt[]``."""
    if kind.endswith("?"):
        return f"Optional[{in_words(kind[:-1])}]"
    if kind.endswith("]"):
        return f"List[{in_words(kind.partition('[')[0])}]"
    return WORDS.get(kind, kind)
