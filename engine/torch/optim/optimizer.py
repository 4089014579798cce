"""``torch.optim.optimizer``."""

from engine.optim.groups import required
from engine.optim.optimizer import Optimizer
from engine.optim.step_hooks import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from engine.torch.missing import module_getattr as _module_getattr

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook", "required"]

__getattr__ = _module_getattr("torch.optim.optimizer", globals())
