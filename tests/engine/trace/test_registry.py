"""What is told of a tensor without reading all of it."""

from __future__ import annotations

import pytest

import engine.torch as torch
from engine.trace.limits import Limits
from engine.trace.registry import Registry
from engine.trace.tape import Tape

TENSORS = {
    "one number": torch.tensor(-2.5),
    "a few": torch.tensor([1.0, float("nan")]),
    "whole numbers": torch.arange(64),
    "many": torch.ones(100, 1),
    "many booleans": torch.zeros(9, 9, dtype=torch.bool),
    "many halves": torch.ones(65, dtype=torch.bfloat16),
    "many complex": torch.ones(65, dtype=torch.complex64),
    "many not finite": torch.full((70,), float("inf")),
    "none": torch.ones(0, 3),
    "no elements": torch.ones(100, 3, device="meta"),
    "sparse": torch.eye(9).to_sparse(),
}


@pytest.mark.parametrize("tensor", TENSORS.values(), ids=TENSORS)
def test_the_text_is_that_of_the_value(tensor: torch.Tensor) -> None:
    registry = Registry(Tape(Limits(), None, []))
    assert registry.text(tensor) == registry.value(tensor).text


def test_telling_of_a_saved_tensor_spends_nothing_of_the_budget_for_elements() -> None:
    tape = Tape(Limits(), None, [])
    before = vars(tape.values).copy()
    Registry(tape).text(torch.ones(100, 100))
    assert vars(tape.values) == before
