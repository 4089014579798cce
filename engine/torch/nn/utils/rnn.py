"""``torch.nn.utils.rnn``."""

from engine.nn.utils.rnn import *
from engine.torch.missing import module_getattr as _module_getattr

__getattr__ = _module_getattr("torch.nn.utils.rnn", globals())
