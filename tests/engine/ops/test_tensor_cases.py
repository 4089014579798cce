"""Expressions on tensors: the same values, types, layouts and refusals as real PyTorch."""

from __future__ import annotations

import pytest

from engine import torch
from tests.oracle.golden import golden
from tests.oracle.outcome import outcome
from tests.oracle.tensor_cases import EXPRESSIONS

pytestmark = pytest.mark.usefixtures("own_generator_state")
RECORDED = golden("tensors")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_give_what_they_gave_on_pytorch(expression: str) -> None:
    assert outcome(expression, torch) == RECORDED[expression]
