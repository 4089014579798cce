"""``torch.mps``: no such device."""

from __future__ import annotations

from engine.torch.absent import device_count, empty_cache, is_available, manual_seed
from engine.torch.missing import module_getattr

__getattr__ = module_getattr("torch.mps", globals())
