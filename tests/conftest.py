"""What all tests share."""

from __future__ import annotations

import pytest

collect_ignore_glob = ["oracle/record_*.py"]
"""Recorders import real PyTorch, which lives in an environment of its own; doctest would import them here."""


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on the loop that serves the site."""
    return "asyncio"
