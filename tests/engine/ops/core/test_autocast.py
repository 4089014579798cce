"""Autocast: weights are converted once a block; what is cast to what is asked in ``tests/engine/ops/test_recorded_programs.py``."""

from __future__ import annotations

import pytest

from engine import torch
from engine.ops.core.autocast import COMPOSED, FULL, LOWER, state
from engine.ops.core.catalogue import operators, table


def test_a_weight_is_converted_once_until_the_block_ends() -> None:
    weight = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        first, second = torch.eye(2) @ weight, torch.eye(2) @ weight
        assert first.grad_fn.next_functions[1] == second.grad_fn.next_functions[1]
        assert state.copies
    assert not state.copies


def test_the_mode_ends_with_its_block_even_by_an_error() -> None:
    with pytest.raises(ZeroDivisionError), torch.autocast("cpu"):
        raise ZeroDivisionError
    assert not torch.is_autocast_enabled("cpu")


def test_every_listed_operator_exists() -> None:
    declared = {operator.name for operator in operators()}
    assert not (LOWER | FULL) - declared
    assert not COMPOSED - (set(table("functional")) | set(table("torch")))
