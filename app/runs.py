"""Playing a snippet: from source text to compressed trace bytes, through the cache and the sandbox."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

import engine
from app import compression
from app.cache import Cache, Made


@dataclass(frozen=True)
class Finished:
    """What the sandbox makes of one snippet."""

    document: bytes
    """The trace as JSON, already checked against its schema."""
    repeatable: bool
    """Whether the same code would give the same bytes again; not so after a wall-clock time-out or a sandbox fault."""


class Overloaded(Exception):
    """No runner became free in time."""

    def __init__(self, retry_after: int) -> None:
        """``retry_after`` in seconds: when trying again makes sense."""
        super().__init__(f"no runner became free; try again in {retry_after} s")
        self.retry_after = retry_after


class Runner(Protocol):
    """Runs snippets in isolation."""

    level: str
    """How strong the isolation is: ``full``, ``container``, ``reduced``, …"""

    async def run(self, code: str) -> Finished:
        """Run one snippet. Raises `Overloaded` when no runner is free in time."""
        ...


class Runs:
    """Plays snippets, each different one once."""

    def __init__(self, runner: Runner, cache: Cache, conditions: Mapping[str, str]) -> None:
        """``conditions`` is all that changes a trace besides the code (`conditions_here`)."""
        self.runner = runner
        self.cache = cache
        self._conditions = hashlib.sha256(repr(sorted(conditions.items())).encode()).digest()

    def key(self, code: str) -> str:
        """Names the trace of ``code`` under these conditions: equal keys, equal bytes."""
        return hashlib.sha256(self._conditions + code.encode()).hexdigest()

    async def play(self, code: str) -> bytes:
        """The trace of ``code``, packed (`app.compression`). Raises `Overloaded`."""

        async def make() -> Made:
            finished = await self.runner.run(code)
            return compression.pack(finished.document), finished.repeatable

        return await self.cache.get(self.key(code), make)


def conditions_here() -> dict[str, str]:
    """All that can change a trace besides its code: the engine's sources (limits included), Python and numpy."""
    return {"engine": digest(Path(engine.__path__[0])), "python": sys.version, "numpy": np.__version__}


def digest(folder: Path) -> str:
    """A hash of every Python file below ``folder``, names included."""
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        total.update(f"{file.relative_to(folder)}\0{file.stat().st_size}\0".encode())
        total.update(file.read_bytes())
    return total.hexdigest()
