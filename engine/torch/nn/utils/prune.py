"""``torch.nn.utils.prune``."""

from engine.nn.utils.prune import *
from engine.torch.missing import module_getattr as _module_getattr

__getattr__ = _module_getattr("torch.nn.utils.prune", globals())
