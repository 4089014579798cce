"""``torch.nn.parameter``."""

from engine.nn.registry import Buffer
from engine.tensor import Parameter

__all__ = ["Buffer", "Parameter"]
