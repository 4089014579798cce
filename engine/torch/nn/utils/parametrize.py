"""``torch.nn.utils.parametrize``."""

from engine.nn.utils.parametrize import *  # noqa: F403
