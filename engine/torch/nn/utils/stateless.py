"""``torch.nn.utils.stateless``."""

from engine.nn.utils.stateless import *  # noqa: F403
