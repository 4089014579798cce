"""``torch.fft``: what the operators declare there."""

from __future__ import annotations

from engine.ops.core.catalogue import TABLES as _TABLES
from engine.torch.missing import module_getattr as _module_getattr

globals().update(_TABLES["fft"])
__getattr__ = _module_getattr("torch.fft", globals())
