"""``torch.backends.cudnn``: not here; snippets set these all the same."""

from __future__ import annotations

from contextlib import AbstractContextManager

from engine.utils.switches import set_inside

enabled = True
benchmark = False
benchmark_limit: int | None = None
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False."""
    return False


def version() -> None:
    """None."""
    return


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
) -> AbstractContextManager[None]:
    """Sets the switches inside the ``with``."""
    return set_inside(
        globals(), enabled=enabled, benchmark=benchmark, deterministic=deterministic, allow_tf32=allow_tf32
    )
