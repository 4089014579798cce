"""``torch.nn.modules``: the layers again, under the address where PyTorch defines them."""

from engine.nn import *  # noqa: F403
from engine.nn import __all__
from engine.torch.nn.modules import module
