"""Products with a sum are rounded once, as PyTorch's kernels round them."""

from __future__ import annotations

import numpy as np

import engine.torch as torch
from engine.ops.pointwise.precision import fused


def test_a_factor_of_zero_keeps_its_sign() -> None:
    ones, negative_zeros = np.ones(2, np.float32), np.full(2, -0.0, np.float32)
    assert np.signbit(fused(ones, -0.0, negative_zeros)).all()
    assert not np.signbit(fused(ones, 0.0, negative_zeros)).any()
    assert np.signbit(fused(ones, -0.0, negative_zeros)).all()


def test_a_step_size_is_rounded_to_float32_before_it_multiplies() -> None:
    weight = torch.tensor([1.0, 3.0], requires_grad=True)
    (weight * torch.tensor([3.0, 7.0])).sum().backward()
    torch.optim.SGD([weight], lr=0.1).step()
    assert weight.tolist() == [0.699999988079071, 2.299999952316284]
