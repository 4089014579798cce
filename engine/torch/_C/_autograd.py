"""``torch._C._autograd``: hooks on saved tensors, and version counters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.autograd.saved_hooks import RawSavedTensor as SavedTensor
from engine.autograd.saved_hooks import pop_saved_hooks as _pop_saved_tensors_default_hooks
from engine.autograd.saved_hooks import push_saved_hooks as _push_saved_tensors_default_hooks
from engine.tensor import shared_counter


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
        shared_counter(tensor).value = version


__all__ = [
    "SavedTensor",
    "_pop_saved_tensors_default_hooks",
    "_push_saved_tensors_default_hooks",
    "_unsafe_set_version_counter",
]
