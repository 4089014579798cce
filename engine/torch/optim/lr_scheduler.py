"""``torch.optim.lr_scheduler``."""

from engine.optim.lr_scheduler import *
from engine.optim.lr_scheduler import __all__
from engine.torch.missing import module_getattr as _module_getattr

__getattr__ = _module_getattr("torch.optim.lr_scheduler", globals())
