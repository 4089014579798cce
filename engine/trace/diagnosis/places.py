"""Questions about where something happened: which loop turns and module calls enclose a scope."""

from __future__ import annotations

from engine.trace.diagnosis.history import History
from engine.trace.enclosing import around


def turns_around(history: History, scope: int) -> list[int]:
    """The loop turns that enclose a scope, innermost first."""
    return [place for place in around(history.trace, scope) if history.trace.scopes[place].kind == "loop_turn"]


def enclosing_turn(history: History, scope: int) -> int | None:
    """The innermost loop turn around a scope."""
    return next(iter(turns_around(history, scope)), None)


def inside(history: History, scope: int, ancestor: int) -> bool:
    """Whether a scope lies in another."""
    return ancestor in around(history.trace, scope)


def innermost_module(history: History, scope: int) -> int | None:
    """The module call that a scope belongs to."""
    return next((place for place in around(history.trace, scope) if history.trace.scopes[place].kind == "module"), None)


def outermost_module(history: History, scope: int) -> int | None:
    """The call of the whole model around a scope."""
    modules = [place for place in around(history.trace, scope) if history.trace.scopes[place].kind == "module"]
    return modules[-1] if modules else None
