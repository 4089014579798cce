"""``torch.nn.utils.parametrize``."""

from engine.nn.utils.parametrize import *
from engine.torch.missing import module_getattr as _module_getattr

__getattr__ = _module_getattr("torch.nn.utils.parametrize", globals())
