"""Handles of registered hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Hooks = dict[int, Callable[..., Any]]


class Registered:
    """How many hooks there were: each has its number, which dictionaries of hooks show."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


registered = Registered()


class RemovableHandle:
    """``handle.remove()`` takes the hook off again; also usable as a context manager."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self.id = registered.count
        registered.count += 1

    def remove(self) -> None:
        """Takes the hook off; a second call does nothing."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


RemovableHandle.__module__ = "torch.utils.hooks"


def add_hook(hooks: Hooks, hook: Callable[..., Any]) -> RemovableHandle:
    """Registers ``hook`` at the end of the order."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def is_ours(hook: Any) -> bool:
    """Whether the engine itself registered it (checkpoints, module hooks): people are told of their own hooks only."""
    return str(getattr(hook, "__module__", "")).startswith("engine.")
