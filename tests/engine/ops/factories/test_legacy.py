"""Older ways to say which dtype new tensors have."""

from __future__ import annotations

import pytest

from engine import torch


def test_old_default_type_is_a_dtype() -> None:
    with pytest.warns(UserWarning, match="is deprecated as of PyTorch 2.1"):
        torch.set_default_tensor_type(torch.DoubleTensor)
    assert torch.ones(1).dtype is torch.float64
    with pytest.warns(UserWarning, match="is deprecated as of PyTorch 2.1"):
        torch.set_default_tensor_type("torch.FloatTensor")
    assert torch.ones(1).dtype is torch.float32
