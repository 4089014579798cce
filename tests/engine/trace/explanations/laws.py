"""The laws, by the statement whose meaning they are, and what they are written with."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.engine.trace.explanations.calls import Call

Law = Callable[[Call], bool | None]
"""Whether a statement holds of a call; None where it says nothing about it."""
LAWS: dict[str, Law] = {}
PATTERNS: dict[re.Pattern[str], Callable[[Call, str], bool | None]] = {}
"""Laws of statements that name another operator, which they are given."""


def statements(explanation: str) -> list[str]:
    """What an explanation asserts, one by one: what stands between full stops and semicolons."""
    return re.split(r"[.;] ", explanation.strip().removesuffix(".")) if explanation else []


def law_of(statement: str) -> Law | None:
    """The law of a statement, if it has one."""
    if statement in LAWS:
        return LAWS[statement]
    for pattern, law in PATTERNS.items():
        if found := pattern.fullmatch(statement):
            return lambda call: law(call, found[1])
    return None


def near(left: Any, right: Any) -> bool:
    """Equal numbers in equal shapes, to six digits."""
    left, right = np.asarray(left), np.asarray(right)
    return left.shape == right.shape and bool(np.allclose(left, right, rtol=1e-6, atol=1e-8, equal_nan=True))


def back(array: Any, shape: tuple[int, ...]) -> Any:
    """The array added up over what was stretched to get from ``shape`` to its own."""
    array = np.asarray(array)
    array = array.sum(axis=tuple(range(array.ndim - len(shape))))
    stretched = tuple(axis for axis, length in enumerate(shape) if length == 1 != array.shape[axis])
    return array.sum(axis=stretched, keepdims=True)


def gives(expected: Callable[[Call], Any]) -> Law:
    """The result is that."""
    return lambda call: near(call.result, expected(call))


def sends(expected: Callable[[Call], Any], to: str = "") -> Law:
    """The gradient for an argument (the first that gets one) is that, broadcasting undone."""

    def law(call: Call) -> bool | None:
        name = to or next(iter(call.sent))
        if call.sent.get(name) is None:
            return None
        return near(call.sent[name], back(expected(call), np.shape(call[name])))

    return law


def sends_each(**expected: Callable[[Call], Any]) -> Law:
    """The same of several arguments, of those that get a gradient."""

    def law(call: Call) -> bool | None:
        answers = [sends(function, name)(call) for name, function in expected.items()]
        told = [answer for answer in answers if answer is not None]
        return all(told) if told else None

    return law


def both(*laws: Law) -> Law:
    """All of them that say something."""

    def law(call: Call) -> bool | None:
        told = [answer for each in laws if (answer := each(call)) is not None]
        return all(told) if told else None

    return law


def where(condition: Callable[[Call], Any], law: Law) -> Law:
    """The law, of calls of a kind."""
    return lambda call: law(call) if condition(call) else None


def nothing(call: Call) -> Any:
    """A gradient of zero."""
    return np.zeros(np.shape(call.x))


def axis(call: Call, name: str = "dim") -> Any:
    """A dimension, or several, as numpy takes them; None for all."""
    given = call[name]
    if given is None or (isinstance(given, list | tuple) and not given):
        return None
    return tuple(given) if isinstance(given, list | tuple) else int(given)


def kept(array: Any, call: Call) -> Any:
    """What was reduced along `dim`, with the dimensions of length one back."""
    along = axis(call)
    return np.asarray(array).reshape(np.sum(call.x, axis=along, keepdims=True).shape) if np.ndim(call.x) else array


def adjoint(call: Call, name: str = "") -> bool:
    """Whether an operator that is linear in an argument sends back by the same weights: ⟨g, A·x⟩ = ⟨Aᴴ·g, x⟩."""
    name = name or next(iter(call.sent))
    x, sent = call[name], call.sent[name]
    zero = call.again(**{name: np.zeros_like(x)}).result
    return near(np.vdot(call.g, call.result - zero).real, np.vdot(sent, x).real)
