"""An LSTM under autocast, step by step as PyTorch's library rounds it. Values from PyTorch 2.13 on a processor with AVX-512."""

from __future__ import annotations

from engine import torch


def test_an_lstm_under_autocast_rounds_where_pytorchs_library_does() -> None:
    layer = torch.nn.LSTM(2, 2)
    with torch.no_grad():
        for place, parameter in enumerate(layer.parameters()):
            parameter.copy_(torch.linspace(-1, 1, parameter.numel()).view(parameter.shape) * (1 - 0.2 * place))
    x = torch.tensor([[0.3, -0.7], [1.1, 0.4], [-0.2, 0.9]], requires_grad=True)
    with torch.autocast("cpu"):
        output, (shown, memory) = layer(x)
    assert output.tolist() == [
        [0.004486083984375, 0.0478515625], [0.020751953125, 0.126953125], [0.046142578125, 0.1904296875]
    ]  # fmt: skip
    assert memory.tolist() == [[0.058349609375, 0.224609375]]
    assert (output.dtype, shown.dtype, memory.dtype) == (torch.bfloat16,) * 3
    assert output.grad_fn.next_functions[0][0].name() == "MkldnnRnnLayerBackward0"
    (output.float() * torch.arange(6.0).view(3, 2)).sum().backward()
    assert x.grad.tolist() == [
        [0.23046875, 0.388671875], [-0.25390625, -0.111328125], [-0.2021484375, 0.053955078125]
    ]  # fmt: skip
    assert layer.bias_ih_l0.grad.tolist() == [
        0.1904296875, 1.046875, 0.02099609375, 0.2265625, 0.8046875, 1.671875, 0.0439453125, 0.177734375
    ]  # fmt: skip
    assert layer.weight_hh_l0.grad.dtype is torch.float32
    assert layer.weight_hh_l0.grad[0].tolist() == [0.0030059814453125, 0.0194091796875]
