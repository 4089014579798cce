"""Hooks that run whenever any module registers a parameter, a buffer or a child module.

``torch.nn.modules.module.register_module_parameter_registration_hook`` and its two siblings. Each hook is called as
``hook(module, name, value)`` and may return what shall be registered in place of the value.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from engine.autograd.handles import RemovableHandle, add_hook

Hook = Callable[[Any, str, Any], Any]


class RegistrationHooks:
    """The hooks of one kind of value, first come first called."""

    def __init__(self) -> None:
        self.hooks: OrderedDict[int, Hook] = OrderedDict()

    def add(self, hook: Hook) -> RemovableHandle:
        """From now on ``hook`` is asked; the handle removes it."""
        return add_hook(self.hooks, hook)

    def chosen(self, module: Any, name: str, value: Any) -> Any:
        """What ``module`` shall keep under ``name``: the value, or what the hooks make of it."""
        for hook in self.hooks.values():
            other = hook(module, name, value)
            if other is not None:
                value = other
        return value


parameter, buffer, module = RegistrationHooks(), RegistrationHooks(), RegistrationHooks()


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Calls ``hook(module, name, param)`` whenever a parameter is registered; a name kept free by None is none."""
    return parameter.add(hook)


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Calls ``hook(module, name, buffer)`` whenever a buffer is registered or exchanged."""
    return buffer.add(hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Calls ``hook(module, name, submodule)`` whenever a child module is registered."""
    return module.add(hook)
