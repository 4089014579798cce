"""``torch.special``: what the operators declare there."""

from __future__ import annotations

from engine.ops.core.catalogue import table as _table
from engine.torch.missing import as_spelled as _as_spelled
from engine.torch.missing import module_getattr as _module_getattr

globals().update(_as_spelled("torch.special", _table("special")))
__getattr__ = _module_getattr("torch.special", globals())
