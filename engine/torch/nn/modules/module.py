"""``torch.nn.modules.module``: the module class, and hooks for all modules at once."""

from engine.nn.calling import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from engine.nn.module import Module
from engine.nn.state import _IncompatibleKeys

__all__ = [
    "Module",
    "_IncompatibleKeys",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
]
