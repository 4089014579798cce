"""Parameters that layers make: what they are where they are made. Values from PyTorch 2.13."""

from __future__ import annotations

import pytest

from engine import torch
from engine.torch import nn


def test_layers_made_in_inference_mode_have_parameters_of_it() -> None:
    with torch.inference_mode():
        layer, alone = nn.Linear(1, 1), nn.Parameter(torch.ones(1))
    assert [p.is_inference() for p in (layer.weight, layer.bias, alone)] == [True, True, True]
    layer(torch.ones(1, 1)).backward()
    assert layer.weight.grad is None
    assert layer.bias.grad is not None
    assert layer.bias.grad.tolist() == [1.0]
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        torch.ones(1, requires_grad=True).mul(alone)
