from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator

import pytest

from engine.sandbox.host import Pool
from engine.sandbox.limits import Limits
from tests.attacks.arena import Arena

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]
    """Elsewhere there is no sandbox to attack, and its level says so."""

SECRET = "correct-horse-battery-staple"


@pytest.fixture(scope="session")
async def arena() -> AsyncIterator[Arena]:
    """One worker, as the public gets it, under a process that has a secret in its environment."""
    os.environ["BACKPLAY_TEST_SECRET"] = SECRET
    try:
        async with Pool(Limits(wall_seconds=4.0), workers=1, public=True) as pool:
            yield Arena(pool)
    finally:
        del os.environ["BACKPLAY_TEST_SECRET"]
