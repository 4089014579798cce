"""``torch.utils._mode_utils``: computing behind a dispatch mode's back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from engine.autograd.modes import state


@contextmanager
def no_dispatch() -> Iterator[None]:
    """No dispatch mode is shown what runs inside."""
    kept, state.dispatching = state.dispatching, []
    state.refresh()
    try:
        yield
    finally:
        state.dispatching = kept
        state.refresh()


__all__ = ["no_dispatch"]
