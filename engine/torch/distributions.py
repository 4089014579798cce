"""``torch.distributions``."""

from engine.distributions import *  # noqa: F403 (the same names, under PyTorch's address)
from engine.distributions import __all__, constraints
from engine.torch.missing import module_getattr

__getattr__ = module_getattr("torch.distributions", globals())
