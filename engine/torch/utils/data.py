"""``torch.utils.data``."""

from engine.utils.data import *  # noqa: F403 (the same names, under PyTorch's address)
from engine.utils.data import __all__
