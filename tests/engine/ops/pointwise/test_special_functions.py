"""Special functions whose in-place form picks an operator."""

from __future__ import annotations

import pytest

from engine import torch
from engine.ops.core.catalogue import operators


def test_polygamma_in_place_records_pytorchs_node_and_declares_nothing_anew() -> None:
    known = len(operators())
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x * 1
    y.polygamma_(1).sum().backward()
    assert y.grad_fn.name() == "PolygammaBackward1"
    assert x.grad.tolist() == pytest.approx([-0.4041138, -0.1541138])  # PyTorch's
    assert len(operators()) == known
