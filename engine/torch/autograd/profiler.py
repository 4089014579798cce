"""``torch.autograd.profiler``: labels work and cost nothing; measuring does not happen in a traced run."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn, Self

from engine.errors import NotHere, explained
from engine.torch.missing import module_getattr as _module_getattr


class record_function:
    """``with record_function("name"):``, also a decorator: names a stretch of code for whoever measures it; here nobody does."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Nothing to stop."""

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, named whenever it runs."""

        @functools.wraps(function)
        def named(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.name, self.args):
                return function(*args, **kwargs)

        return named


def refused(name: str, place: str = "torch.autograd.profiler") -> Callable[..., NoReturn]:
    """A class that cannot be had."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotHere(
            explained(
                f"{place}.{name} is not here",
                "A traced run measures no time: remove the profiler, the rest can be played without it.",
            )
        )

    return refuse


profile, emit_nvtx, emit_itt = refused("profile"), refused("emit_nvtx"), refused("emit_itt")

__all__ = ["emit_itt", "emit_nvtx", "profile", "record_function"]

__getattr__ = _module_getattr("torch.autograd.profiler", globals())
