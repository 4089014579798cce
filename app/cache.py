"""Results of earlier runs, kept because the same code gives the same trace byte for byte.

A least-recently-used cache bounded in bytes, with single flight: of many equal requests at the same time, one works
and the others wait for its result. What is not worth keeping (a wall-clock time-out may be the machine's fault) is
handed to those who waited and forgotten.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

Made = tuple[bytes, bool]
"""A value and whether to keep it."""


class Cache:
    """Maps keys to bytes, at most ``capacity`` bytes in all."""

    def __init__(self, capacity: int) -> None:
        """``capacity`` is in bytes; 0 keeps nothing, single flight still holds."""
        self.capacity = capacity
        self.size = 0
        self.hits = 0
        self.misses = 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._flying: dict[str, asyncio.Task[Made]] = {}

    async def get(self, key: str, make: Callable[[], Awaitable[Made]]) -> bytes:
        """The value of ``key``; ``make`` is called once however many wait, and its exception goes to all of them."""
        if key in self._kept:
            self.hits += 1
            self._kept.move_to_end(key)
            return self._kept[key]
        task = self._flying.get(key)
        if task is None:
            self.misses += 1
            task = asyncio.ensure_future(make())
            self._flying[key] = task
            task.add_done_callback(lambda done: self._landed(key, done))
        else:
            self.hits += 1
        # Shielded: one client that goes away must not take the result from the others.
        value, _ = await asyncio.shield(task)
        return value

    def _landed(self, key: str, task: asyncio.Task[Made]) -> None:
        del self._flying[key]
        if task.cancelled() or task.exception() is not None:
            return
        value, keep = task.result()
        if not keep or len(value) > self.capacity:
            return
        self._kept[key] = value
        self.size += len(value)
        while self.size > self.capacity:
            _, dropped = self._kept.popitem(last=False)
            self.size -= len(dropped)
