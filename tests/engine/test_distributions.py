"""Distributions: the same samples, log-probabilities, graphs and refusals as real PyTorch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import torch
from tests.oracle.distributions_cases import EXPRESSIONS
from tests.oracle.outcome import outcome

GOLDEN: dict[str, str] = json.loads((Path(__file__).parents[1] / "golden" / "distributions.json").read_text())


@pytest.fixture(autouse=True)
def generator_state() -> Iterator[None]:
    """The default generator is shared by all tests of a process."""
    with torch.random.fork_rng():
        yield


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_outcome_is_pytorchs(expression: str) -> None:
    assert outcome(expression, torch) == GOLDEN[expression]
