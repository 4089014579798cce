"""What tests of the engine share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine import torch


@pytest.fixture
def own_generator_state() -> Iterator[None]:
    """The default generator is shared by all tests of a process: what a test draws is taken back."""
    with torch.random.fork_rng():
        yield
