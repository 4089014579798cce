"""What PyTorch warns of once in a process is warned of once in a run, and again in the next."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from engine import torch
from engine.trace.environment.reset import reset_engine

REASONS = [
    "x.detach().sum().T",
    "torch.ones(2, 2, 2).T",
    "float(x[0])",
    "torch.tensor([x[0], 2.0])",
    "(x * x).sum().backward(create_graph=True)",
    "torch.cross(torch.ones(2, 3), torch.ones(2, 3))",
    "torch.meshgrid(torch.ones(2), torch.ones(2))",
    "torch.ones(2, dtype=torch.complex64).float()",
    "torch.ones(2).storage()",
    "torch.qr(torch.eye(2))",
    "torch.cholesky(torch.eye(2))",
    "torch.tensor([np.ones(2), np.ones(2)])",
    "torch.FloatTensor([[1.0, 2.0], np.ones(2)])",
]
"""Recorded: PyTorch 2.13 gives one warning for two of each."""


def messages(reason: str, times: int) -> list[str]:
    x = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(times):
            eval(reason, {"torch": torch, "np": np, "x": x})
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("reason", REASONS)
def test_a_second_reason_is_silent_until_the_next_run(reason: str) -> None:
    assert len(messages(reason, 2)) == 1
    assert not messages(reason, 1)
    reset_engine()
    assert len(messages(reason, 1)) == 1


def test_set_warn_always_warns_every_time() -> None:
    torch.set_warn_always(True)
    try:
        assert len(messages("float(x[0])", 2)) == 2
    finally:
        torch.set_warn_always(False)


def test_the_transpose_of_a_number_is_told_in_words_of_its_own() -> None:
    assert messages("torch.tensor(1.0).T", 1) == [
        "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."
    ]
