"""Softmax, sigmoid and silu of float32 numbers equal PyTorch's AVX2 kernels to the last bit."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch

NUMBERS = [
    0.875, 3.5, -1.875, 3.375, -2.125, 2.125, -3.25, -2.125, 4.0, 0.25, -4.0, -0.125, 3.5, 1.0, -4.125, 0.5, -5.0,
    4.375, 1.875, -4.25,
]  # fmt: skip
# Recorded from torch 2.13.0 with ATEN_CPU_CAPABILITY=avx2; softmax of the first six.
RECORDED = {
    "softmax": [
        "0x1.0bca440000000p-5", "0x1.ce174c0000000p-2", "0x1.11e8700000000p-9", "0x1.97cb3c0000000p-2",
        "0x1.aaa3b40000000p-10", "0x1.d356f00000000p-4",
    ],
    "sigmoid": [
        "0x1.695ca80000000p-1", "0x1.f0fdfc0000000p-1", "0x1.104f8e0000000p-3", "0x1.ef0f5c0000000p-1",
        "0x1.b501340000000p-4", "0x1.c95fda0000000p-1", "0x1.31c8280000000p-5", "0x1.b501340000000p-4",
        "0x1.f6ca820000000p-1", "0x1.1fd59a0000000p-1", "0x1.26afa20000000p-6", "0x1.e00aa60000000p-2",
        "0x1.f0fdfc0000000p-1", "0x1.764d500000000p-1", "0x1.049c3e0000000p-6", "0x1.3eb2fe0000000p-1",
        "0x1.b69f680000000p-8", "0x1.f9a28e0000000p-1", "0x1.bbec1c0000000p-1", "0x1.ccd6400000000p-7",
    ],
    "silu": [
        "0x1.3c31120000000p-1", "0x1.b2de3e0000000p+1", "-0x1.fe952a0000000p-3", "0x1.a1b4f60000000p+1",
        "-0x1.d051460000000p-3", "0x1.e5f5d80000000p+0", "-0x1.f0e5400000000p-4", "-0x1.d051460000000p-3",
        "0x1.f6ca820000000p+1", "0x1.1fd59a0000000p-3", "-0x1.26afa20000000p-4", "-0x1.e00aa60000000p-5",
        "0x1.b2de3e0000000p+1", "0x1.764d500000000p-1", "-0x1.0cc1200000000p-4", "0x1.3eb2fe0000000p-2",
        "-0x1.1223a00000000p-5", "0x1.1484e60000000p+2", "0x1.a02d5a0000000p+0", "-0x1.e9a3a40000000p-5",
    ],
}  # fmt: skip


def computed(name: str) -> Any:
    x = torch.tensor(NUMBERS)
    if name == "softmax":
        return x[:6].softmax(0)
    return getattr(torch.nn.functional, name)(x)


@pytest.mark.parametrize("name", RECORDED)
def test_every_bit_is_pytorchs(name: str) -> None:
    assert [number.hex() for number in computed(name).tolist()] == RECORDED[name]


def test_infinities_and_nan_go_through() -> None:
    inf = float("inf")
    assert torch.tensor([-inf, 0.0, inf]).sigmoid().tolist() == [0.0, 0.5, 1.0]
    assert torch.tensor([-inf, 0.0]).softmax(0).tolist() == [0.0, 1.0]
    assert torch.tensor([-inf, -inf]).softmax(0).isnan().all()
    assert torch.tensor([float("nan"), 1.0]).softmax(0).isnan().all()
