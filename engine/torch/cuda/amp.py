"""``torch.cuda.amp``: the older spellings of ``torch.amp`` for CUDA, which is not there, so that they do nothing."""

from __future__ import annotations

from typing import Any

from engine.optim.grad_scaler import GradScaler as _GradScaler
from engine.transforms.autocast_mode import autocast as _autocast
from engine.transforms.autocast_mode import custom_bwd as _custom_bwd
from engine.transforms.autocast_mode import custom_fwd as _custom_fwd
from engine.transforms.autocast_mode import older_spelling as _older_spelling


class autocast(_autocast):
    """``torch.amp.autocast("cuda", …)``."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        _older_spelling("cuda", "autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(_GradScaler):
    """``torch.amp.GradScaler("cuda", …)``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _older_spelling("cuda", "GradScaler")
        super().__init__("cuda", *args, **kwargs)


def custom_fwd(function: Any = None, *, cast_inputs: Any = None) -> Any:
    """``torch.amp.custom_fwd`` for CUDA."""
    _older_spelling("cuda", "custom_fwd")
    return _custom_fwd(function, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(function: Any = None) -> Any:
    """``torch.amp.custom_bwd`` for CUDA."""
    _older_spelling("cuda", "custom_bwd")
    return _custom_bwd(function, device_type="cuda")
