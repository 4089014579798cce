"""``torch.signal``: window functions."""

from engine.torch.missing import module_getattr as _module_getattr
from engine.torch.signal import windows

__all__ = ["windows"]

__getattr__ = _module_getattr("torch.signal", globals())
