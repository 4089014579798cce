"""``torch._C._autograd``: hooks on saved tensors, and version counters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.autograd.graph import set_version
from engine.autograd.modes import state as _state
from engine.autograd.running import running as _running
from engine.autograd.saved_hooks import RawSavedTensor as SavedTensor
from engine.autograd.saved_hooks import pop_saved_hooks as _pop_saved_tensors_default_hooks
from engine.autograd.saved_hooks import push_saved_hooks as _push_saved_tensors_default_hooks


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether hooks on saved tensors may be put in force here."""
    return _state.saved_hooks_refused is None


def _get_current_graph_task_keep_graph() -> bool:
    """Whether the pass under way leaves saved tensors in place; True outside of any."""
    return _running[-1].keep_graph if _running else True


def _unsafe_set_version_counter(tensors: Sequence[Any], versions: Sequence[int]) -> None:
    """Gives each tensor's storage a version.

    Raises:
        RuntimeError: not as many versions as tensors, or one below 0.
    """
    if len(tensors) != len(versions):
        raise RuntimeError(f"tensors_len={len(tensors)}, versions_len={len(versions)}")
    for tensor, version in zip(tensors, versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        set_version(tensor, version, "_unsafe_set_version_counter")


__all__ = [
    "SavedTensor",
    "_get_current_graph_task_keep_graph",
    "_pop_saved_tensors_default_hooks",
    "_push_saved_tensors_default_hooks",
    "_saved_tensors_hooks_is_enabled",
    "_unsafe_set_version_counter",
]
