"""``torch.cuda`` of a PyTorch without CUDA: there is no device, and seeds for it are accepted."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NoReturn, Self

from engine.errors import AcceleratorError, Explained, OutOfMemoryError
from engine.placement import device as _device
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
memory_cached = max_memory_cached = memory_allocated


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """Nothing to count."""
    return OrderedDict()


def get_arch_list() -> list[str]:
    """None that PyTorch was built for."""
    return []


def get_gencode_flags() -> str:
    """None that PyTorch was built with."""
    return ""


is_tf32_supported = is_initialized
default_generators: tuple[Any, ...] = ()


def get_rng_state_all() -> list[Any]:
    """No devices, no states."""
    return []


def _refuse(*_: Any, **__: Any) -> NoReturn:
    """Refused as by a PyTorch without CUDA."""
    require_cpu("cuda")
    raise AssertionError


current_device = get_device_name = get_device_properties = get_device_capability = _refuse
synchronize = set_device = get_rng_state = set_rng_state = _refuse
init = ipc_collect = current_stream = default_stream = mem_get_info = initial_seed = _refuse
can_device_access_peer = set_per_process_memory_fraction = get_sync_debug_mode = set_sync_debug_mode = _refuse


def seed() -> None:
    """Nothing to seed."""


def seed_all() -> None:
    """Nothing to seed."""


def set_rng_state_all(new_states: Any) -> None:
    """No devices, no states.

    Raises:
        AssertionError: there are some.
    """
    for state in new_states:
        _refuse(state)


class Event:
    """A mark in a stream of CUDA's work: there is no such stream.

    Raises:
        RuntimeError: always.
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        raise RuntimeError(
            Explained(
                "Tried to instantiate dummy base class Event",
                "There is no CUDA here: time.perf_counter() measures on a CPU.",
            )
        )


class Stream:
    """A queue of CUDA's work: there is none.

    Raises:
        RuntimeError: always.
    """

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        raise RuntimeError("torch.cuda.Stream requires CUDA support")


class StreamContext:
    """``with torch.cuda.stream(None)``: nothing changes."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        return

    def __exit__(self, *exception: object) -> None:
        return


stream = StreamContext


def set_stream(stream: Any) -> None:
    """No stream to choose."""


class device:
    """``with torch.cuda.device(0)``: works on another device inside; a negative index means no change.

    Raises:
        RuntimeError: on entering, for a device.
    """

    def __init__(self, device: Any) -> None:
        self.idx = device if isinstance(device, int) else _device(device).index or 0
        self.prev_idx = -1

    def __enter__(self) -> Self | None:
        if self.idx >= 0:
            raise RuntimeError("PyTorch was compiled without CUDA support")
        return None

    def __exit__(self, *exception: object) -> None:
        return


class device_of(device):
    """``with torch.cuda.device_of(tensor)``: that of a tensor on the CPU is no change."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device())


_NAMED_HERE = AcceleratorError, OutOfMemoryError
"""Imported for programs, which catch them under this name."""

__getattr__ = module_getattr("torch.cuda", globals())
