"""gelu of float32 numbers and its gradient equal oneDNN's AVX2 kernel to the last bit."""

from __future__ import annotations

from engine import torch

NUMBERS = [-8.0, -3.4570806, -1.7, -0.75173575, -0.0, 0.35952452, 1.0499495, 3.0, 20.0, float("inf")]
# Recorded from torch 2.13.0 with ONEDNN_MAX_CPU_ISA=AVX2, as whole numbers of the same bits.
VALUES = [0, -1166574986, -1113904969, -1104278293, 0, 1047249861, 1063604069, 1077919142, 1101004800, 2139095040]
GRADIENTS = [
    0, -1143756672, -1095687969, 952713216, 1075838976, 1083491713, 1089809253, 1090619247, 1091567616, -4194304,
]  # fmt: skip


def test_several_numbers_are_those_of_onednn() -> None:
    x = torch.tensor(NUMBERS, requires_grad=True)
    y = torch.nn.functional.gelu(x)
    (gradient,) = torch.autograd.grad(y, x, torch.arange(1.0, 11.0))
    assert y.detach().view(torch.int32).tolist() == VALUES
    assert gradient.isnan().tolist() == [False] * 9 + [True]
    assert gradient.view(torch.int32).tolist()[:9] == GRADIENTS[:9]


def test_half_precision_is_rounded_from_the_same_numbers() -> None:
    x = torch.tensor(NUMBERS[:9]).half()
    expected = torch.nn.functional.gelu(x.float()).half()
    assert torch.equal(torch.nn.functional.gelu(x), expected)


def test_one_number_alone_goes_another_way_as_in_pytorch() -> None:
    assert torch.nn.functional.gelu(torch.tensor([3.0])).item() == float.fromhex("0x1.7f7b4c0000000p+1")
