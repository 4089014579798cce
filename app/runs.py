"""Playing a snippet: from source text to compressed trace bytes, through the cache and the sandbox."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Protocol

import numpy as np

import engine
from app import compression
from app.cache import Cache, Made
from engine.sandbox.host import RunResult
from engine.sandbox.limits import Limits


class Runner(Protocol):
    """What the service needs of the sandbox's pool."""

    limits: Limits

    @property
    def level(self) -> str:
        """How strong the isolation is: ``full``, ``container``, ``reduced`` or ``none``."""

    async def run(self, code: str, *, deadline: float) -> RunResult:
        """Play a snippet, whatever it does. Raises `engine.sandbox.host.Busy` after ``deadline`` seconds of waiting."""


class Runs:
    """Plays snippets, each different one once."""

    def __init__(self, runner: Runner, cache: Cache, queue_seconds: float) -> None:
        """``queue_seconds``: how long a run may wait for a free runner."""
        self.runner = runner
        self.cache = cache
        self.queue_seconds = queue_seconds
        # All that can change a trace besides its code.
        conditions = (digest(Path(engine.__path__[0])), sys.version, np.__version__, runner.limits)
        self._conditions = hashlib.sha256(repr(conditions).encode()).digest()

    def key(self, code: str) -> str:
        """Names the trace of ``code`` under these conditions: equal keys, equal bytes."""
        return hashlib.sha256(self._conditions + code.encode()).hexdigest()

    async def play(self, code: str) -> bytes:
        """The trace of ``code``, packed (`app.compression`). Raises `engine.sandbox.host.Busy`."""

        async def make() -> Made:
            result = await self.runner.run(code, deadline=self.queue_seconds)
            return compression.pack(result.document), result.cacheable

        return await self.cache.get(self.key(code), make)


def digest(folder: Path) -> str:
    """A hash of every Python file below ``folder``, names included."""
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        total.update(f"{file.relative_to(folder)}\0{file.stat().st_size}\0".encode())
        total.update(file.read_bytes())
    return total.hexdigest()
