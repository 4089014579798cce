"""``torch.overrides``: classes and modes that answer functions themselves (``__torch_function__``)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, Self

from engine.ops.core.override_installation import install
from engine.ops.core.overriding import answered, overloaded, overrides, redispatched, resolved_name, state
from engine.tensor import Tensor
from engine.torch.missing import module_getattr


class TorchFunctionMode:
    """Subclass, define ``__torch_function__``, enter: every function that the program calls inside is shown to it."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Called in place of ``func``, which computes when it is called in here."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        install()
        state.modes.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        state.modes.pop()


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What ``func`` computes."""
        return func(*args, **(kwargs or {}))


def _get_current_function_mode_stack() -> list[Any]:
    """The modes that are on, innermost last."""
    return list(state.modes)


def _get_current_function_mode() -> Any:
    """The innermost mode, or None."""
    return state.modes[-1] if state.modes else None


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether the class of one of them has a say."""
    if not state.modes and (state.disabled or not any(overrides(argument) for argument in relevant_args)):
        return False
    return not state.passes()


def has_torch_function_unary(tensor: Any) -> bool:
    """The same for one argument."""
    return has_torch_function((tensor,))


def has_torch_function_variadic(*tensors: Any) -> bool:
    """The same for arguments one by one."""
    return has_torch_function(tensors)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """What the classes of the arguments make of a call."""
    return answered(public_api, overloaded(tuple(relevant_args), {}), args, kwargs)


def redispatch_function(func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    """Calls a function that was shown to a class or a mode, past them; they see the functions that it calls."""
    return redispatched(func, types, args, kwargs)


def wrap_torch_function(
    dispatcher: Callable[..., Iterable[Any]],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a function so that it asks the classes of what ``dispatcher`` picks out of its arguments."""

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def asking(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(asking, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return asking

    return decorate


def is_tensor_like(inp: Any) -> bool:
    """A tensor, or something whose class has ``__torch_function__``."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def resolve_name(f: Any) -> str:
    """A function's full name."""
    return resolved_name(f)


__all__ = [
    "BaseTorchFunctionMode", "TorchFunctionMode", "handle_torch_function", "has_torch_function", "has_torch_function_unary",
    "has_torch_function_variadic", "is_tensor_like", "redispatch_function", "resolve_name", "wrap_torch_function",
]  # fmt: skip

__getattr__ = module_getattr("torch.overrides", globals())
