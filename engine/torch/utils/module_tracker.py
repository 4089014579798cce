"""``torch.utils.module_tracker``: which modules are at work."""

from engine.torch.missing import module_getattr
from engine.utils.flops.module_tracker import ModuleTracker as ModuleTracker

__all__ = ["ModuleTracker"]

__getattr__ = module_getattr("torch.utils.module_tracker", globals())
