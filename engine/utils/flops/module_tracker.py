"""``torch.utils.module_tracker``: which modules are at work, forward and backward."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Self

from engine.autograd.multi_hook import register_multi_grad_hook
from engine.autograd.running import running
from engine.nn.calling import register_module_forward_hook, register_module_forward_pre_hook
from engine.nn.module import Module
from engine.tensor import Tensor


class ModuleTracker:
    """Inside a ``with``, ``parents`` names the modules that are running: ``Global``, and for example ``Net`` and ``Net.first``.

    Backward, a module is at work from when the gradients of its results are there until those of its arguments are.
    """

    __module__ = "torch.utils.module_tracker"

    def __init__(self) -> None:
        self.parents = {"Global"}
        self.known: weakref.WeakKeyDictionary[Module, str] = weakref.WeakKeyDictionary()
        self.handles: list[Any] = []

    def __enter__(self) -> Self:
        self.parents = {"Global"}
        self.handles = [
            register_module_forward_pre_hook(self._begins), register_module_forward_hook(self._ended, always_call=True)
        ]  # fmt: skip
        return self

    def __exit__(self, *exception: object) -> None:
        for handle in self.handles:
            handle.remove()
        self.handles = []

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass is under way."""
        return bool(running)

    def name_of(self, module: Module) -> str:
        """Its class's name, or the one it has in the module that holds it."""
        name = self.known.setdefault(module, type(module).__name__)
        for child_name, child in module.named_children():
            self.known[child] = f"{name}.{child_name}"
        return name

    def _begins(self, module: Module, arguments: Any) -> None:
        name = self.name_of(module)
        self.parents.add(name)
        self._watch(arguments, lambda: self.parents.discard(name))

    def _ended(self, module: Module, arguments: Any, results: Any) -> None:
        name = self.name_of(module)
        self.parents.discard(name)
        self._watch(results, lambda: self._begins_backward(name))

    def _begins_backward(self, name: str) -> None:
        self.parents.add(name)
        running[-1].callbacks.append(lambda: self.parents.intersection_update({"Global"}))

    def _watch(self, value: Any, reached: Callable[[], None]) -> None:
        """Calls ``reached`` when the gradients of all tensors in a value are there."""
        tensors = [tensor for tensor in tensors_in(value) if tensor.requires_grad]
        if tensors:
            self.handles.append(register_multi_grad_hook(tensors, lambda gradients: reached()))


def tensors_in(value: Any) -> list[Tensor]:
    """The tensors in lists, tuples and dictionaries."""
    if isinstance(value, Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [tensor for part in parts for tensor in tensors_in(part)]
