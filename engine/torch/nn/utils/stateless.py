"""``torch.nn.utils.stateless``."""

from engine.nn.utils.stateless import *
from engine.torch.missing import module_getattr as _module_getattr

__getattr__ = _module_getattr("torch.nn.utils.stateless", globals())
