"""What tests of passes and their memory share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture
def no_collector() -> Iterator[None]:
    """The garbage collector has nothing to do with what goes meanwhile."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
