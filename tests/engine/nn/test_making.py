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


ARGUMENTS = {
    "AdaptiveLogSoftmaxWithLoss": (16, 8, [2, 4]),
    "GroupNorm": (1, 2),
    **dict.fromkeys(("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"), (2, 2, 1)),
    **dict.fromkeys(("BatchNorm1d", "InstanceNorm1d", "InstanceNorm2d", "LayerNorm", "RMSNorm", "PReLU"), (2,)),
    **dict.fromkeys(("Linear", "Embedding", "EmbeddingBag", "RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"), (2, 2)),
    **dict.fromkeys(("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer"), (2, 1)),
    "Bilinear": (2, 2, 2),
}  # fmt: skip


@pytest.mark.parametrize("layer", ARGUMENTS)
def test_a_layer_makes_all_that_it_holds_on_the_device_it_is_given(layer: str) -> None:
    settings = {"affine": True, "track_running_stats": True} if layer.startswith("Instance") else {}
    made = getattr(nn, layer)(*ARGUMENTS[layer], device="meta", **settings)
    held = [*made.parameters(), *made.buffers()]
    assert held
    assert {tensor.device.type for tensor in held} == {"meta"}


KIN = ("AvgPool2d AvgPool3d CELU ConstantPad2d CrossMapLRN2d ELU Hardshrink Hardsigmoid Hardswish LocalResponseNorm Softshrink "
       "ZeroPad1d ZeroPad2d").split()  # fmt: skip


def test_layers_that_share_code_are_no_kinds_of_each_other() -> None:
    kinds = {(a, b) for a in KIN for b in KIN if a != b and issubclass(getattr(nn, a), getattr(nn, b))}
    assert kinds == {("ZeroPad2d", "ConstantPad2d")}


@pytest.mark.parametrize("layer", ["AvgPool1d", "AvgPool3d", "Conv2d", "CrossMapLRN2d", "LocalResponseNorm"])
def test_a_layer_that_lacks_an_argument_says_so_in_its_own_name(layer: str) -> None:
    with pytest.raises(TypeError, match=rf"{layer}\.__init__\(\) missing \d required positional"):
        getattr(nn, layer)()
