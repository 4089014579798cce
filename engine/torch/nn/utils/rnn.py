"""``torch.nn.utils.rnn``."""

from engine.nn.utils.rnn import *  # noqa: F403
