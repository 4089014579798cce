"""``torch.signal``: window functions."""

from engine.torch.signal import windows

__all__ = ["windows"]
