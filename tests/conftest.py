"""What all tests share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on the loop that serves the site."""
    return "asyncio"
