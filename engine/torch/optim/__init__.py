"""``torch.optim``."""

from engine.optim import *
from engine.optim import __all__
from engine.torch.missing import module_getattr as _module_getattr
from engine.torch.optim import lr_scheduler, optimizer, swa_utils

__getattr__ = _module_getattr("torch.optim", globals())
