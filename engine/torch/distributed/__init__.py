"""``torch.distributed`` of a process that is alone: it says so, and refuses what needs others."""

from __future__ import annotations

from typing import Any, NoReturn

from engine.errors import NotHere, explained
from engine.torch.missing import module_getattr


def is_available() -> bool:
    """True: PyTorch's own answer, which is about how it was built."""
    return True


def is_initialized() -> bool:
    """False."""
    return False


is_nccl_available = is_mpi_available = is_torchelastic_launched = is_initialized


def alone(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises ValueError: always, in PyTorch's words."""
    raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


get_rank = get_world_size = get_backend = barrier = all_reduce = all_gather = broadcast = reduce = gather = scatter = (
    alone
)
send = recv = all_gather_object = broadcast_object_list = alone


def init_process_group(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotHere: always."""
    raise NotHere(
        explained("torch.distributed has one process here", "Leave init_process_group and what follows from it out.")
    )


def destroy_process_group(group: Any = None) -> NoReturn:
    """Raises AssertionError: always: there is none."""
    raise AssertionError("Process group cannot be None")


__getattr__ = module_getattr("torch.distributed", globals())
