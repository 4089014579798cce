"""``torch.linalg``: what the operators declare there."""

from __future__ import annotations

from engine.ops.core.catalogue import table as _table
from engine.ops.linear_algebra.matrices import LinAlgError as LinAlgError
from engine.torch.missing import module_getattr as _module_getattr

globals().update(_table("linalg"))
__getattr__ = _module_getattr("torch.linalg", globals())
