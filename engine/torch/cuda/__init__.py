"""``torch.cuda`` of a PyTorch without CUDA: there is no device, and seeds for it are accepted."""

from __future__ import annotations

from typing import Any, NoReturn

from engine.placement import require_cpu
from engine.torch.cuda import amp as amp
from engine.torch.missing import module_getattr


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing to seed."""


def manual_seed_all(seed: int) -> None:
    """Nothing to seed."""


def empty_cache() -> None:
    """Nothing to empty."""


def memory_allocated(device: Any = None) -> int:
    """0 bytes."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def get_rng_state_all() -> list[Any]:
    """No devices, no states."""
    return []


def _refuse(*_: Any, **__: Any) -> NoReturn:
    """Refused as by a PyTorch without CUDA."""
    require_cpu("cuda")
    raise AssertionError


current_device = get_device_name = get_device_properties = get_device_capability = _refuse
synchronize = set_device = get_rng_state = set_rng_state = _refuse

__getattr__ = module_getattr("torch.cuda", globals())
