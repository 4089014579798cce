"""``torch.masked``: what `engine.ops.reduction.masked` declares. It is imported when first asked for."""

from __future__ import annotations

import sys as _sys

from engine.ops.core.catalogue import table as _table
from engine.ops.reduction import masked as _masked
from engine.torch.missing import module_getattr as _module_getattr

globals().update(_table("masked"))
_ops = _sys.modules[__name__]
"""PyTorch's documentation calls them by the file that defines them: ``torch.masked._ops.sum``."""
__getattr__ = _module_getattr("torch.masked", globals())
