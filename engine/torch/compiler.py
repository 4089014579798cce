"""``torch.compiler``: what says how to compile, and here changes nothing, since every line runs as it is written."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from engine.nn.compiled import compile as compile
from engine.torch.missing import module_getattr


def is_compiling() -> bool:
    """False."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def reset() -> None:
    """There is no cache to empty."""


def cudagraph_mark_step_begin() -> None:
    """There is no graph of a GPU to begin."""


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """None."""
    return []


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself; without one, a decorator and context that changes nothing."""
    return Unchanged() if fn is None else fn


def allow_in_graph(fn: Any) -> Any:
    """The function itself."""
    return fn


assume_constant_result = allow_in_graph


def set_stance(stance: str = "default", **options: Any) -> AbstractContextManager[None]:
    """When to compile: never, whatever is asked for."""
    return nullcontext()


class Unchanged(nullcontext[None]):
    """``with`` it or decorated by it, code does the same."""

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself."""
        return function


__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
    "is_dynamo_compiling", "is_exporting", "list_backends", "reset", "set_stance",
]  # fmt: skip

__getattr__ = module_getattr("torch.compiler", globals())
