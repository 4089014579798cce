"""``torch.linalg``: what the operators declare there."""

from __future__ import annotations

from engine.ops.core.catalogue import TABLES as _TABLES
from engine.ops.linear_algebra.matrices import LinAlgError as LinAlgError
from engine.torch.missing import module_getattr as _module_getattr

globals().update(_TABLES["linalg"])
__getattr__ = _module_getattr("torch.linalg", globals())
