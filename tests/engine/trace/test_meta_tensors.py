"""Programs with meta tensors are played like any other: every tensor is shown by its form."""

from __future__ import annotations

from engine.trace.play import play

PROGRAM = """
import torch
from torch import nn

with torch.device("meta"):
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    x = torch.randn(5, 3)
loss = net(x).pow(2).mean()
loss.backward()
torch.optim.SGD(net.parameters(), lr=0.1).step()
print(loss, net[0].weight.grad.shape)
net.to_empty(device="cpu")
print(net[0].weight.device)
"""


def test_a_network_without_elements_is_played_to_its_end() -> None:
    trace = play(PROGRAM)
    assert trace.outcome.status == "ok"
    assert trace.stdout == "tensor(..., device='meta', size=(), grad_fn=<MeanBackward0>) torch.Size([4, 3])\ncpu\n"
    weight = next(tensor for tensor in trace.tensors if tensor.shape == [4, 3])
    assert weight.value is not None
    assert weight.value.text == "float32 [4, 3], no elements"
    assert weight.value.data is None


def test_a_run_does_not_inherit_the_device_of_the_one_before() -> None:
    play("import torch\ntorch.set_default_device('meta')\na = torch.ones(2)\n")
    assert play("import torch\nprint(torch.ones(2))\n").stdout == "tensor([1., 1.])\n"


def test_hooks_are_numbered_from_nought_in_every_run() -> None:
    program = (
        "import torch\nm = torch.nn.Linear(1, 1)\nprint(m.register_forward_hook(print).id, list(m._forward_hooks))\n"
    )
    assert play(program).stdout == play(program).stdout == "0 [0]\n"
