"""What attacks share: a pool of confined workers."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator

import pytest

from engine.sandbox.host import Pool
from engine.sandbox.limits import Limits
from engine.sandbox.worker import Worker, ZygoteWorker
from tests.attacks.arena import Arena

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]
    """Elsewhere there is no sandbox to attack, and its level says so."""


class Unforgiving(Pool):
    """Keeps the zygote even after an attack that the service would replace it for: it must not need replacing."""

    def _new_worker(self) -> Worker:
        return ZygoteWorker(self.limits, replace_suspicious=False)


SECRET = "correct-horse-battery-staple"


@pytest.fixture(scope="session")
async def arena() -> AsyncIterator[Arena]:
    """One worker, as the public gets it, under a process that has a secret in its environment.

    The wall clock is far away, so that a busy machine does not end what the CPU limit has to end.
    """
    os.environ["BACKPLAY_TEST_SECRET"] = SECRET
    try:
        async with Unforgiving(Limits(wall_seconds=60.0), workers=1, public=True) as pool:
            yield Arena(pool)
    finally:
        del os.environ["BACKPLAY_TEST_SECRET"]


@pytest.fixture(scope="session")
async def hasty() -> AsyncIterator[Arena]:
    """The same with a wall clock that ends what waits."""
    async with Unforgiving(Limits(wall_seconds=1.5), workers=1, public=True) as pool:
        yield Arena(pool)
