"""``torch.nn.utils``."""

from engine.nn.utils import *
from engine.nn.utils import __all__
from engine.torch.missing import module_getattr as _module_getattr
from engine.torch.nn.utils import parametrizations, parametrize, rnn, stateless

__getattr__ = _module_getattr("torch.nn.utils", globals())
