"""``torch.masked``: what `engine.ops.masked` declares. It is imported when first asked for."""

from __future__ import annotations

from engine.ops import masked as _masked
from engine.ops.catalogue import TABLES as _TABLES
from engine.torch.missing import module_getattr as _module_getattr

globals().update(_TABLES["masked"])
__getattr__ = _module_getattr("torch.masked", globals())
