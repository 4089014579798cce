"""``torch.nn.modules``: the layers again, under the address where PyTorch defines them."""

from engine.nn import *
from engine.nn import __all__
from engine.torch.missing import module_getattr as _module_getattr
from engine.torch.nn.modules import module

import engine.torch.nn.modules.utils as utils  # isort: skip (`engine.nn` has one too, which came with the star)

__getattr__ = _module_getattr("torch.nn.modules", globals())
