"""``torch.nn``."""

from engine.nn import *  # noqa: F403 (the same names, under PyTorch's address)
from engine.nn import __all__
from engine.torch.missing import module_getattr as _module_getattr
from engine.torch.nn import functional, init, modules, parameter, utils

__getattr__ = _module_getattr("torch.nn", globals())
