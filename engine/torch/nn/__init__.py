"""``torch.nn``."""

from engine.nn import *
from engine.nn import __all__
from engine.torch.missing import module_getattr as _module_getattr

# `engine.nn` has modules of these names too, which came with the star; importing by the full name puts ours in their place.
import engine.torch.nn.functional as functional  # isort: skip
import engine.torch.nn.init as init  # isort: skip
import engine.torch.nn.utils as utils  # isort: skip
from engine.torch.nn import modules, parameter  # isort: skip

__getattr__ = _module_getattr("torch.nn", globals())
