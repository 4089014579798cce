"""Storages as they are shown."""

from __future__ import annotations

import pytest

from engine import torch


def test_storage_lists_its_elements_and_bytes() -> None:
    assert repr(torch.tensor([1.0]).untyped_storage()) == (
        " 0\n 0\n 128\n 63\n[torch.storage.UntypedStorage(device=cpu) of size 4]"
    )
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        kept = torch.tensor([1, 2]).storage()
    assert repr(kept) == " 1\n 2\n[torch.storage.TypedStorage(dtype=torch.int64, device=cpu) of size 2]"
