"""``torch.jit``: TorchScript's spellings; what they are given runs as it is written."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Final

from engine.nn.scripted import RecursiveScriptModule, ScriptFunction, ScriptModule, script, trace
from engine.torch.missing import module_getattr


def is_scripting() -> bool:
    """False: nothing is compiled."""
    return False


def is_tracing() -> bool:
    """False: nothing is compiled."""
    return False


def export(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The method itself."""
    return fn


script_if_tracing = interface = script_method = export


def ignore(drop: Any = False, **options: Any) -> Any:
    """The function itself, or a decorator that returns it."""
    return drop if callable(drop) else export


def unused(fn: Any) -> Any:
    """The function itself."""
    return fn


def freeze(mod: Any, preserved_attrs: Any = None, optimize_numerics: bool = True) -> Any:
    """The module itself.

    Raises:
        RuntimeError: in PyTorch's words, while it is in training mode.
    """
    if getattr(mod, "training", False):
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module before freezing."
        )
    return mod


def optimize_for_inference(mod: Any, other_methods: Any = None) -> Any:
    """The module itself."""
    return mod


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value: types are for a compiler."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Python's ``isinstance``."""
    return builtins.isinstance(obj, target_type)


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Runs the function at once: nothing runs beside it. `wait` gives its result."""
    return Forked(func(*args, **kwargs))


def wait(future: Any) -> Any:
    """The result of what was forked."""
    return future.wait()


class Forked:
    """What a forked call came to."""

    def __init__(self, value: Any) -> None:
        self.result = value

    def wait(self) -> Any:
        """The result, which is there."""
        return self.result

    value = wait

    def done(self) -> bool:
        """True."""
        return True


_fork, _wait = fork, wait


def Attribute(value: Any, type: Any) -> Any:
    """The value: types are for a compiler."""
    return value


__all__ = [
    "Attribute", "Final", "RecursiveScriptModule", "ScriptFunction", "ScriptModule", "annotate", "export", "fork", "freeze", "ignore",
    "interface", "is_scripting", "is_tracing", "isinstance", "optimize_for_inference", "script", "script_if_tracing",
    "script_method", "trace", "unused", "wait",
]  # fmt: skip

__getattr__ = module_getattr("torch.jit", globals())
