"""Distributions: the same samples, log-probabilities, graphs and refusals as real PyTorch."""

from __future__ import annotations

import pytest

from engine import torch
from tests.oracle.distributions_cases import EXPRESSIONS
from tests.oracle.golden import golden
from tests.oracle.outcome import outcome

pytestmark = pytest.mark.usefixtures("own_generator_state")
RECORDED = golden("distributions")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_distributions_do_what_they_did_on_pytorch(expression: str) -> None:
    assert outcome(expression, torch) == RECORDED[expression]
