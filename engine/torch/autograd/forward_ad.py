"""``torch.autograd.forward_ad``."""

from __future__ import annotations

from typing import Any

from engine.autograd.forward_switch import _set_fwd_grad_enabled as _set_fwd_grad_enabled
from engine.autograd.forward_switch import is_fwd_grad_enabled as _is_fwd_grad_enabled
from engine.transforms.dual import UnpackedDualTensor as UnpackedDualTensor
from engine.transforms.dual import make_dual as make_dual
from engine.transforms.dual import unpack_dual as unpack_dual
from engine.transforms.dual_level import current_level as _level
from engine.transforms.dual_level import dual_level as dual_level
from engine.transforms.dual_level import enter_dual_level as enter_dual_level
from engine.transforms.dual_level import exit_dual_level as exit_dual_level


def __getattr__(name: str) -> Any:
    if name == "_current_level":
        return _level()
    raise AttributeError(f"module 'torch.autograd.forward_ad' has no attribute '{name}'")


__all__ = [
    "UnpackedDualTensor", "_is_fwd_grad_enabled", "_set_fwd_grad_enabled", "dual_level", "enter_dual_level", "exit_dual_level",
    "make_dual", "unpack_dual",
]  # fmt: skip
