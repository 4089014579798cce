"""Binding a call's arguments to an operator's parameters, with PyTorch's freedoms.

PyTorch lets ``input`` stand for ``self``, ``axis`` for ``dim``, ``keepdims`` for ``keepdim``, and takes sizes and dims
either as one tuple or spelled out (``x.view(2, 3)``): the latter are kernels with a ``*parameter``. The signature is
read once, at declaration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.ops.core.parameters import MISSING, parameters_of

RENAMED = {
    "input": "self", "x": "self", "a": "self", "x1": "self", "axis": "dim", "keepdims": "keepdim", "x2": "other",
}  # fmt: skip
WHOLE = ("int", int)
Number = float
"""What PyTorch calls a ``Scalar``: any Python number, or a tensor of no dimensions that needs no gradient."""
NUMBERS = ("Number", "float")
FLAG = ("bool", bool)
PLAIN = frozenset((*WHOLE, *NUMBERS, *FLAG))


class Signature:
    """Parameter names in order, their defaults, and which one (if any) gathers the rest."""

    __slots__ = (
        "count",
        "defaults",
        "flags",
        "gathers",
        "index",
        "names",
        "numbers",
        "positional",
        "renamed",
        "required",
        "whole",
    )

    def __init__(self, kernel: Callable[..., Any], renamed: dict[str, str] | None = None) -> None:
        parameters = parameters_of(kernel)
        self.names, self.defaults, self.gathers = parameters.names, parameters.defaults, parameters.gathers
        self.positional = parameters.positional
        self.count = len(self.names)
        self.index = dict(zip(self.names, range(self.count), strict=True))
        self.required = self.defaults.count(MISSING) - (self.gathers is not None)
        self.renamed = RENAMED | renamed if renamed else RENAMED
        kinds = [
            (self.index[n], kind) for n, kind in parameters.annotations.items() if kind in PLAIN and n in self.index
        ]
        self.flags = tuple([index for index, kind in kinds if kind in FLAG])
        """Positions where True or False must stand."""
        self.whole = tuple([index for index, kind in kinds if kind in WHOLE])
        """Positions where a whole number must stand."""
        self.numbers = {index: kind for index, kind in kinds if kind in NUMBERS}
        """Positions where a `Number` must stand, and PyTorch's word for it: ``Number``, or ``float`` where only that will do."""

    def bind(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Arguments in signature order, defaults filled in.

        Raises:
            TypeError: in PyTorch's words, for missing, surplus or unknown arguments.
        """
        if not kwargs and self.gathers is None:
            given = len(args)
            if given == self.count:
                return args if self.positional == self.count else self._bind(function, args, kwargs)
            if self.required <= given <= self.positional:
                return args + self.defaults[given:]
        elif len(kwargs) == 1 and self.gathers is None and self.required <= len(args) <= self.positional:
            (name,) = kwargs
            index = self.index.get(name, -1)
            if index >= len(args):
                rest = self.defaults
                return (*args, *rest[len(args) : index], kwargs[name], *rest[index + 1 :])
        return self._bind(function, args, kwargs)

    def _bind(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        values = list(self.defaults)
        if self.gathers is None:
            if len(args) > self.positional:
                least = self.defaults[: self.positional].count(MISSING)
                raise TypeError(too_many(function, least, self.positional, len(args)))
            values[: len(args)] = args
        else:
            values[: self.gathers] = args[: self.gathers]
            rest = args[self.gathers :]
            values[self.gathers] = gathered(rest) if rest else MISSING
        for name, value in kwargs.items():
            index = self.index.get(name)
            if index is None:
                known = self.renamed.get(name, "")
                index = self.index.get(known) if known not in kwargs else None
            if index is None:
                raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
            if index < len(args) and index != self.gathers:
                raise TypeError(f"{function}() got multiple values for argument '{name}'")
            values[index] = gathered((value,)) if index == self.gathers else value
        missing = [n for n, v in zip(self.names, values, strict=True) if v is MISSING]
        if missing:
            shown = ", ".join(f'"{"input" if n == "self" else n}"' for n in missing)
            count = f"{len(missing)} required positional argument{'s' if len(missing) == 1 else ''}"  # PyTorch's plural
            raise TypeError(f"{function}() missing {count}: {shown}")
        return tuple(values)


def too_many(function: str, least: int, most: int, given: int) -> str:
    """What is said of more arguments without a name than the ``least`` to ``most`` that may be given."""
    if least != most:
        return f"{function}() takes from {least} to {most} positional arguments but {given} were given"
    takes = f"{most} positional argument{'' if most == 1 else 's'}"
    return f"{function}() takes {takes} but {given} {'was' if given == 1 else 'were'} given"


def gathered(rest: tuple[Any, ...]) -> tuple[Any, ...]:
    """``(2, 3)`` whether it was written ``f(2, 3)``, ``f((2, 3))`` or ``f([2, 3])``."""
    if len(rest) == 1 and isinstance(rest[0], list | tuple):
        return tuple(rest[0])
    return rest
