"""``torch.cuda.amp``: the older spellings of ``torch.amp`` for CUDA, which is not there, so that they do nothing."""

from __future__ import annotations

import warnings
from typing import Any

from engine.optim.grad_scaler import GradScaler as _GradScaler
from engine.transforms.autocast_mode import autocast as _autocast
from engine.transforms.autocast_mode import custom_bwd as _custom_bwd
from engine.transforms.autocast_mode import custom_fwd as _custom_fwd


def _deprecated(name: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


class autocast(_autocast):
    """``torch.amp.autocast("cuda", …)``."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        _deprecated("autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(_GradScaler):
    """``torch.amp.GradScaler("cuda", …)``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _deprecated("GradScaler")
        super().__init__("cuda", *args, **kwargs)


def custom_fwd(function: Any = None, *, cast_inputs: Any = None) -> Any:
    """``torch.amp.custom_fwd`` for CUDA."""
    _deprecated("custom_fwd")
    return _custom_fwd(function, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(function: Any = None) -> Any:
    """``torch.amp.custom_bwd`` for CUDA."""
    _deprecated("custom_bwd")
    return _custom_bwd(function, device_type="cuda")
