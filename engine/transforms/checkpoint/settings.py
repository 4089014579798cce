"""What holds for all checkpoints at a place: scopes of ``torch.utils.checkpoint``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self


class Settings:
    """What the scopes around us say; None leaves it to each checkpoint."""

    early_stop: bool | None = None
    debug: bool | None = None
    group: GraphExecGroup | None = None

    @staticmethod
    def chosen(enforced: bool | None, own: bool) -> bool:
        """What a scope says goes before what the checkpoint says."""
        return own if enforced is None else enforced


settings = Settings()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether checkpoints made inside stop the second run once they have what they need, whatever their own setting."""
    before, settings.early_stop = settings.early_stop, enable
    try:
        yield
    finally:
        settings.early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Whether checkpoints made inside explain at length how their two runs differ, whatever their own ``debug``."""
    before, settings.debug = settings.debug, enabled
    try:
        yield
    finally:
        settings.debug = before


class GraphExecGroup:
    """Passes inside share their second runs: each checkpoint runs again at most once. They must not need the same saved tensor.

    Raises:
        RuntimeError: such scopes do not nest.
    """

    def __init__(self) -> None:
        self.made: dict[Any, Any] = {}
        """What second runs saved and nobody has asked for yet, by checkpoint."""

    def __enter__(self) -> Self:
        if settings.group is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {settings.group}")
        settings.group = self
        return self

    def __exit__(self, *exception: object) -> None:
        settings.group = None
        self.made.clear()


GraphExecGroup.__module__ = "torch.utils.checkpoint"
