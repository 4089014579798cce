"""Derivatives written for tensors, run on bare arrays.

A derivative that looks up nothing (``grad * other``) runs on arrays as it is. One that calls methods does so if numpy
has each of them, under the same name or another: then its code is taken over with the names exchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

METHODS = {
    "mm": "__matmul__",
    "bmm": "__matmul__",
    "t": "transpose",
    "transpose": "swapaxes",
    "reshape": "reshape",
    "conj": "conj",
}
"""Tensor method → the array method that gives the same elements, laid out in the same way."""

TAKES_ARRAYS: set[Callable[..., Any]] = set()
"""Functions of ours, beside the methods, that arithmetic alone makes up."""


def takes_arrays(function: Function) -> Function:
    """Decorates a function that derivatives call and that is right for tensors and arrays alike."""
    TAKES_ARRAYS.add(function)
    return function


def on_arrays(derivative: Callable[..., Any]) -> Callable[..., Any] | None:
    """The derivative (or the slope it stands for) as a function of arrays; None if it needs tensors."""
    function: Any = getattr(derivative, "slope", derivative)
    code: CodeType = function.__code__
    if code.co_freevars or {"grads", "needs"} & set(code.co_varnames):  # several gradients, and who wants them
        return None
    known = {name: function.__globals__.get(name) for name in code.co_names}
    if any(name not in METHODS and value not in TAKES_ARRAYS for name, value in known.items()):
        return None
    names = tuple(METHODS.get(name, name) for name in code.co_names)
    return FunctionType(code.replace(co_names=names), function.__globals__) if code.co_names else function
