"""``torch.types``: names for annotations."""

from __future__ import annotations

from typing import Any

from engine.placement import device
from engine.size import Size as Size
from engine.tensor import Tensor as Tensor
from engine.torch.missing import module_getattr as _module_getattr

Number = int | float | bool
Device = device | str | int | None
_size = Size | list[int] | tuple[int, ...]
_dtype = Any
_device = device

__getattr__ = _module_getattr("torch.types", globals())
