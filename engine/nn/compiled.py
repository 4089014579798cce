"""``torch.compile``: the model runs as it is written, one operation at a time, and looks as PyTorch's compiled ones do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.nn.module import Module


class OptimizedModule(Module):
    """A compiled module: what it holds is found under ``_orig_mod``, as the names in its ``state_dict`` tell.

    Everything that is not its own is the module's.
    """

    __module__ = "torch._dynamo.eval_frame"
    OWN = frozenset({"_orig_mod"})

    def __init__(self, mod: Module) -> None:
        super().__init__()
        self._orig_mod = mod
        object.__setattr__(self, "training", mod.training)

    def __getattr__(self, name: str) -> Any:
        modules = self.__dict__.get("_modules", {})
        if name in modules or "_orig_mod" not in modules:
            return super().__getattr__(name)
        return getattr(modules["_orig_mod"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.OWN or "_orig_mod" not in self.__dict__.get("_modules", {}) or name in self.__dict__:
            super().__setattr__(name, value)
        else:
            setattr(self._modules["_orig_mod"], name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's, with its hooks."""
        return self._modules["_orig_mod"](*args, **kwargs)


def compile(model: Any = None, **options: Any) -> Any:
    """A function as it is, a module in an `OptimizedModule`; without a model, a decorator.

    Raises:
        AssertionError: nothing that can be called.
    """
    if model is None:

        def decorate(function: Callable[..., Any]) -> Any:
            return compile(function, **options)

        return decorate
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    return OptimizedModule(model) if isinstance(model, Module) else model
