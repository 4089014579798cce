"""``torch.nn.utils.parametrizations``."""

from engine.nn.utils.parametrizations import *  # noqa: F403
