"""``torch.nn.attention``: which ways of computing attention are allowed."""

from __future__ import annotations

from engine.ops.neural.attention_backends import SDPBackend, sdpa_kernel
from engine.torch.missing import module_getattr

__all__ = ["SDPBackend", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False
SDPBackend.__module__ = "torch.nn.attention"
__getattr__ = module_getattr("torch.nn.attention", globals())
