"""What runs before and after a step: hooks, and the reports around a step that a program wrote."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine.autograd.handles import RemovableHandle, add_hook
from engine.observe import state as observing

if TYPE_CHECKING:
    from engine.optim.optimizer import Optimizer

Hooks = OrderedDict[int, Callable[..., Any]]

before_every_step: Hooks = OrderedDict()
after_every_step: Hooks = OrderedDict()


def hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """A ``step`` method that runs the hooks registered around it."""

    @functools.wraps(step)
    def run(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        given: tuple[Any, ...] = (self, *args)
        for hook in [*before_every_step.values(), *self._optimizer_step_pre_hooks.values()]:
            changed = hook(self, given, kwargs)
            if changed is not None:
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                given, kwargs = changed
        result = step(*given, **kwargs)
        if "_opt_called" in self.__dict__:  # a scheduler asks whether the optimizer moved first
            self._opt_called = True
        for hook in [*self._optimizer_step_post_hooks.values(), *after_every_step.values()]:
            hook(self, given, kwargs)
        return result

    return run


def reported(step: Callable[..., Any]) -> Callable[..., Any]:
    """A person's own ``step`` method, between the two reports."""

    @functools.wraps(step)
    def run(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        listener = observing.listener
        if listener is not None:
            listener.optimizer_stepping(self)
        result = step(self, *args, **kwargs)
        if listener is not None:
            listener.optimizer_stepped(self)
        return result

    return run


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls ``hook(optimizer, args, kwargs)`` before each step of every optimizer."""
    return add_hook(before_every_step, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls ``hook(optimizer, args, kwargs)`` after each step of every optimizer."""
    return add_hook(after_every_step, hook)
