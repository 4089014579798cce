"""``torch.nn.utils.parametrizations``."""

from engine.nn.utils.parametrizations import *
from engine.torch.missing import module_getattr as _module_getattr

__getattr__ = _module_getattr("torch.nn.utils.parametrizations", globals())
