"""``torch.utils``."""

from engine.torch.utils import data

__all__ = ["data"]
