"""``torch.backends.cuda``: not here; its switches can be set and read back, and those of attention say what a CPU may do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from engine.ops.neural.attention_backends import (
    cudnn_sdp_enabled,
    enable_cudnn_sdp,
    enable_flash_sdp,
    enable_math_sdp,
    enable_mem_efficient_sdp,
    flash_sdp_enabled,
    math_sdp_enabled,
    mem_efficient_sdp_enabled,
    sdp_kernel,
)
from engine.torch.missing import module_getattr

__all__ = [
    "cudnn_sdp_enabled",
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "is_built",
    "is_flash_attention_available",
    "math_sdp_enabled",
    "matmul",
    "mem_efficient_sdp_enabled",
    "sdp_kernel",
]

matmul = SimpleNamespace(
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
    allow_fp16_accumulation=False,
    fp32_precision="none",
)


def is_built() -> bool:
    """False."""
    return False


def is_flash_attention_available() -> bool:
    """False: it asks about CUDA's kernel, not about that of CPUs."""
    return False


def can_use_flash_attention(params: Any, debug: bool = False) -> bool:
    """False: on CUDA only."""
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention
__getattr__ = module_getattr("torch.backends.cuda", globals())
