"""``torch.distributed`` in a process that is alone."""

from __future__ import annotations

import pytest

from engine import torch


def test_process_that_is_alone_says_so() -> None:
    assert torch.distributed.is_available()
    assert not torch.distributed.is_initialized()
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        torch.distributed.get_rank()
