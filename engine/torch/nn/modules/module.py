"""``torch.nn.modules.module``: the module class, and hooks for all modules at once."""

from engine.nn.calling import (
    everywhere,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from engine.nn.module import Module, indented_by
from engine.nn.registrations import (
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from engine.nn.state import _IncompatibleKeys
from engine.torch.missing import module_getattr as _module_getattr

_addindent = indented_by
_global_forward_pre_hooks, _global_forward_hooks = everywhere.pre, everywhere.post
_global_backward_pre_hooks, _global_backward_hooks = everywhere.backward_pre, everywhere.backward

__all__ = [
    "Module",
    "_IncompatibleKeys",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

__getattr__ = _module_getattr("torch.nn.modules.module", globals())
