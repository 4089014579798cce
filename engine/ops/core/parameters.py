"""What a plain function takes, read off its code object.

`inspect.signature` tells the same, but with a thousand declarations it would take longer than all the rest of importing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import CO_VARARGS
from typing import Any

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "required"})()
"""Stands where a parameter has no default."""


class Parameters:
    """A function's parameters in the order they are written; of a wrapper (``functools.wraps``), those of what it wraps.

    Made by `parameters_of`, which reads each function once.

    Attributes:
        names: of all parameters.
        defaults: one per name, `MISSING` where there is none.
        positional: how many can be given by position.
        gathers: the position of ``*parameter``, or None.
        annotations: by name, as text.
    """

    __slots__ = ("annotations", "defaults", "gathers", "names", "positional")

    def __init__(self, function: Callable[..., Any]) -> None:
        plain: Any = unwrapped(function)
        code = plain.__code__
        first, named = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
        gathering: tuple[str, ...] = code.co_varnames[named : named + 1] if code.co_flags & CO_VARARGS else ()
        self.names: tuple[str, ...] = code.co_varnames[:first] + gathering + code.co_varnames[first:named]
        given = plain.__defaults__ or ()
        by_name = plain.__kwdefaults__ or {}
        self.defaults = (
            *(MISSING,) * (first - len(given)),
            *given,
            *(MISSING,) * len(gathering),
            *(by_name.get(name, MISSING) for name in code.co_varnames[first:named]),
        )
        self.positional: int = first
        self.gathers: int | None = first if gathering else None
        self.annotations: dict[str, Any] = plain.__annotations__


parameters_of = functools.cache(Parameters)
"""The `Parameters` of a declared function. Declarations live as long as the process, so none is forgotten."""


def standing_for(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``functools.wraps`` in fewer steps: a decorator for a function that is called in the place of another."""

    def name(call: Callable[..., Any]) -> Callable[..., Any]:
        call.__name__, call.__qualname__ = function.__name__, function.__qualname__
        call.__doc__, call.__module__ = function.__doc__, function.__module__
        call.__wrapped__ = function
        return call

    return name


def unwrapped(function: Any) -> Any:
    """The function under ``functools.wraps`` or `standing_for`."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def names_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The parameter names of a derivative. A slope's derivative takes ``grad`` first (`engine.ops.core.declare.chained`)."""
    slope = getattr(function, "slope", None)
    return ("grad", *names_of(slope)) if slope is not None else parameters_of(function).names


def flat(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel as a function of positional arguments only (``*size`` becomes one tuple)."""
    parameters = parameters_of(kernel)
    if parameters.positional == len(parameters.names):
        return kernel
    first = parameters.positional + (parameters.gathers is not None)
    shown = [
        f"*{name}" if position == parameters.gathers else name if position < first else f"{name}={name}"
        for position, name in enumerate(parameters.names)
    ]
    made: Callable[..., Any] = eval(  # names come from our own declarations only
        f"lambda kernel: lambda {', '.join(parameters.names)}: kernel({', '.join(shown)})"
    )(kernel)
    return made
