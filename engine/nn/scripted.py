"""What ``torch.jit.script`` and ``torch.jit.trace`` return: the program itself, which runs as it is written.

TorchScript is a language of its own, with its own compiler; here nothing is compiled, so there is no ``graph`` and no
``code`` to look at, and what a tracer would not have seen still happens.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from engine.errors import NotHere, explained
from engine.nn.module import Module

UNSEEN = frozenset({"graph", "code", "inlined_graph", "code_with_constants", "graph_for", "save", "save_to_buffer"})
"""What only a compiler could show."""


def unseen(kind: str, name: str) -> NoReturn:
    """Raises NotHere: always."""
    words = "Nothing is compiled here: the function or module runs as it is written."
    raise NotHere(explained(f"'{kind}' object has no attribute '{name}'", words))


class ScriptFunction:
    """A function that was scripted or traced."""

    __module__ = "torch.jit.torch.jit"

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.name = self.qualified_name = function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        return self.function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in UNSEEN:
            unseen("ScriptFunction", name)
        raise AttributeError(f"'torch.jit.ScriptFunction' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<torch.jit.torch.jit.ScriptFunction object at {id(self):#x}>"


class ScriptModule(Module):
    """A module that was scripted or traced: it shares parameters and buffers with the one it was made of, and has a mode of its own."""

    __module__ = "torch.jit._script"

    def __init__(self, original: Module, *, apart: bool = False) -> None:
        """``apart``: ``original`` is a twin already, which nobody else has."""
        super().__init__()
        original = original if apart else twin(original)
        self.__dict__["original"] = original
        self.__dict__["original_name"] = type(original).__name__
        self._parameters, self._buffers = original._parameters, original._buffers
        self._modules = {
            name: None if m is None else type(self)(m, apart=True) for name, m in original._modules.items()
        }
        self.__dict__["training"] = original.training

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The original's."""
        return self.__dict__["original"].forward(*args, **kwargs)

    def train(self, mode: bool = True) -> ScriptModule:
        """Sets the mode of what runs with its own."""
        self.__dict__["original"].train(mode)
        super().train(mode)
        return self

    def extra_repr(self) -> str:
        """The original's name."""
        return f"original_name={self.__dict__['original_name']}"

    def __getattr__(self, name: str) -> Any:
        if name in UNSEEN:
            unseen(type(self).__name__, name)
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.__dict__["original"], name)


def twin(module: Module) -> Module:
    """Another module of the same class with the same parameters and buffers, and twins of its parts."""
    made: Module = object.__new__(type(module))
    made.__dict__.update(module.__dict__)
    made.__dict__["_modules"] = {name: None if m is None else twin(m) for name, m in module._modules.items()}
    return made


class RecursiveScriptModule(ScriptModule):
    """What ``torch.jit.script`` makes of a module."""

    __module__ = "torch.jit._script"


class TracedModule(ScriptModule):
    """What ``torch.jit.trace`` makes of a module; it goes by the original's name."""

    __module__ = "torch.jit._trace"

    def _get_name(self) -> str:
        return str(self.__dict__["original_name"])


def script(obj: Any, *options: Any, **more: Any) -> Any:
    """A module or function that looks scripted; a class as it is."""
    if isinstance(obj, ScriptModule | ScriptFunction | type):
        return obj
    return RecursiveScriptModule(obj) if isinstance(obj, Module) else ScriptFunction(obj)


def trace(func: Any, example_inputs: Any = None, *options: Any, **more: Any) -> Any:
    """A module or function that looks traced; it is run once on the example, as a tracer would."""
    given = example_inputs if isinstance(example_inputs, tuple) else (example_inputs,)
    if example_inputs is not None:
        func(*given)
    if isinstance(func, ScriptModule | ScriptFunction):
        return func
    return TracedModule(func) if isinstance(func, Module) else ScriptFunction(func)
