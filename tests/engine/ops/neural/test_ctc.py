"""The digits of connectionist temporal classification in float32 are those that PyTorch 2.13.0 prints."""

from __future__ import annotations

import pytest

from engine import torch
from engine.ops.neural.ctc import ctc_loss

ANSWERS = {
    (1, 2, 3): (4.518848896026611, "aea12ebd91bbb93e6e91bdbeb4504d3d186c133d8a36933de8451ebe8c3e3f3d"),
    (2, 2, 1): (5.529293537139893, "c69cddbe92a7183f29087abec346a53d8413773d65d4273d8c6291be090b3b3e"),
    (3,): (7.363955974578857, "40e1d1be92a7183f49a2603e04bfcfbed28dd3beafb4b03dca37fe3e33ae2dbe"),
}
"""By labels: the loss, and the gradient for the third and fourth step as bytes."""


@pytest.mark.parametrize("labels", ANSWERS)
def test_loss_and_gradient_have_pytorchs_last_bit(labels: tuple[int, ...]) -> None:
    scores = ((torch.arange(24.0).reshape(6, 1, 4) * 7 % 11) / 4).requires_grad_()
    log_probs = scores.log_softmax(2)
    log_probs.retain_grad()
    loss = ctc_loss(log_probs, torch.tensor([labels]), (6,), (len(labels),), reduction="sum")
    loss.backward()
    assert (loss.item(), log_probs.grad[2:4].numpy().tobytes().hex()) == ANSWERS[labels]


@pytest.mark.parametrize("shape", [(0, 1, 3), (2, 1, 0), (0, 3)])
def test_no_likelihood_at_all_is_refused(shape: tuple[int, ...]) -> None:
    lengths = torch.tensor([0])
    with pytest.raises(RuntimeError, match="log_probs tensor must not be empty"):
        ctc_loss(torch.zeros(shape), torch.zeros(1, 0, dtype=torch.long), lengths, lengths)
