"""Muon: PyTorch's step, as nearly as two ways of rounding to bfloat16 agree."""

from __future__ import annotations

import numpy as np

from engine import torch

AFTER_ONE_STEP = [
    [0.948046863079071, 2.0220704078674316, -1.042382836341858],
    [0.4527343809604645, -0.2890625, 3.043164014816284],
]
"""What torch 2.13.0 makes of the parameter below."""


def test_step_is_pytorchs_but_for_rounding() -> None:
    parameter = torch.nn.Parameter(torch.tensor([[1.0, 2.0, -1.0], [0.5, -0.25, 3.0]]))
    parameter.grad = torch.tensor([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]])
    torch.optim.Muon([parameter], lr=0.1, weight_decay=0.0).step()
    np.testing.assert_allclose(parameter.detach().numpy(), AFTER_ONE_STEP, atol=2e-3)
