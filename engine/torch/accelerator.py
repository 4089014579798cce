"""``torch.accelerator``: there is none."""

from __future__ import annotations

from typing import Any, NoReturn

from engine.torch.missing import module_getattr


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None."""
    return


def refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """What asks something of an accelerator.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("Cannot access accelerator device when none is available.")


current_device_index = current_device_idx = set_device_index = set_device_idx = current_stream = set_stream = (
    synchronize
) = refuse
empty_cache = get_memory_info = memory_allocated = memory_reserved = memory_stats = refuse
max_memory_allocated = max_memory_reserved = reset_accumulated_memory_stats = reset_peak_memory_stats = refuse

__getattr__ = module_getattr("torch.accelerator", globals())
