"""An ``out`` tensor of another size: what is computed from tensors warns, what is made or drawn does not, and ``arange`` says its own."""

from __future__ import annotations

import warnings

import pytest

from engine import torch

QUIET = [
    "torch.randn(2, out=o)", "torch.zeros(2, out=o)", "torch.rand(2, out=o)", "torch.full((2,), 1.0, out=o)", "torch.eye(2, out=o)",
    "torch.linspace(0, 1, 2, out=o)", "torch.randint(3, (2,), out=o)", "torch.randperm(2, out=o.long())", "torch.empty(2, out=o)",
    "torch.normal(0.0, 1.0, (2,), out=o)", "torch.logspace(0, 1, 2, out=o)", "torch.ones(2, out=o)", "torch.arange(3, out=o)",
    "torch.bernoulli(torch.zeros(2), out=o)", "torch.multinomial(torch.ones(2), 1, out=o.long())", "torch.arange(2, out=o[:0])",
]  # fmt: skip
WARNED = {
    "torch.add(torch.ones(2), 1, out=o)": "An output with one or more elements was resized since it had shape [3]",
    "torch.arange(2, out=o)": "The number of elements in the out tensor of shape [3] is 3 which does not match the computed number "
    "of elements 2. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape (2,).",
}
"""Recorded on PyTorch 2.13."""


def warned(expression: str) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        eval(expression, {"torch": torch, "o": torch.ones(3)})
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("expression", QUIET)
def test_what_is_made_or_drawn_resizes_without_a_word(expression: str) -> None:
    assert warned(expression) == []


@pytest.mark.parametrize("expression", WARNED)
def test_what_is_computed_warns(expression: str) -> None:
    (message,) = warned(expression)
    assert message.startswith(WARNED[expression])
