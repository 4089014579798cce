"""``torch.utils.data``."""

from engine.torch.missing import module_getattr as _module_getattr
from engine.torch.utils.data import _utils
from engine.utils.data import *
from engine.utils.data import __all__

__getattr__ = _module_getattr("torch.utils.data", globals())
