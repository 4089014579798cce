"""``torch.signal.windows``."""

from __future__ import annotations

from engine.ops.core.catalogue import table
from engine.torch.missing import module_getattr

globals().update(table("signal"))

__getattr__ = module_getattr("torch.signal.windows", globals())
