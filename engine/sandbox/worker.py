"""One worker: a zygote and its spare child, kept ready for the next run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection
from typing import Protocol

from engine.sandbox.attempt import Attempt, attempt
from engine.sandbox.confinement.layers import Report
from engine.sandbox.ending import Usage, without_answer
from engine.sandbox.frames import Kind
from engine.sandbox.limits import Limits
from engine.sandbox.link import Link, Spare, ZygoteLost


class Worker(Protocol):
    """Runs one thing at a time. `ask`, then `renew` before the next `ask`."""

    report: Report
    recycles: int

    async def start(self) -> None:
        """Gets ready. Raises ZygoteLost with the reason."""

    async def ask(self, kind: Kind, content: bytes) -> Attempt:
        """Hands content to a fresh process and waits for its end, one way or the other."""

    async def renew(self) -> None:
        """Clears away what ran and gets ready again."""

    async def stop(self) -> None:
        """Ends everything."""


class ZygoteWorker:
    """The real one."""

    def __init__(self, limits: Limits, omit: Collection[str] = (), replace_suspicious: bool = True) -> None:
        self.limits = limits
        self.omit = omit
        self.replace_suspicious = replace_suspicious
        self.report = Report()
        self.recycles = 0
        self._link: Link | None = None
        self._spare: Spare | None = None
        self._runs = 0
        self._child_lives = False
        self._suspicious = False

    async def start(self) -> None:
        """Starts the zygote and orders its first child. Raises ZygoteLost."""
        self._link = await Link.open(self.limits, self.omit)
        self.report = self._link.report
        self._runs = 0
        self._suspicious = False
        self._order_spare(self._link)

    async def ask(self, kind: Kind, content: bytes) -> Attempt:
        """Hands content to the spare child. Never raises for what the child does.

        Raises:
            RuntimeError: there is no spare child to ask.
        """
        if self._link is None or self._spare is None:
            raise RuntimeError("this worker has no spare child: call start() once, and renew() after each ask()")
        spare, self._spare = self._spare, None
        result = await attempt(spare, kind, content, self.limits, self._end)
        self._suspicious |= result.ending.suspicious
        return result

    async def renew(self) -> None:
        """Ends the child and orders the next, from a new zygote where this one is worn or suspicious."""
        await self._end()
        self._runs += 1
        worn = self._runs >= self.limits.runs_per_zygote
        if self._link is not None and not worn and not (self._suspicious and self.replace_suspicious):
            # A zygote that died between two orders is replaced below.
            with contextlib.suppress(ZygoteLost):
                self._order_spare(self._link)
                return
        await self.stop()
        self.recycles += 1
        await self.start()

    async def stop(self) -> None:
        """Ends the zygote and all it has forked."""
        if self._spare is not None:
            self._spare.close()
            self._spare = None
        if self._link is not None:
            link, self._link = self._link, None
            await asyncio.to_thread(link.close)
        self._child_lives = False

    def _order_spare(self, link: Link) -> None:
        self._spare = link.spare()
        self._child_lives = True

    async def _end(self) -> Usage | None:
        """Ends the child if it lives. None when it does not, or when its zygote is lost, which is dropped then."""
        if self._link is None or not self._child_lives:
            return None
        self._child_lives = False
        try:
            usage = await self._link.end()
        except ZygoteLost:
            await self.stop()
            return None
        self._suspicious |= without_answer(usage, self.limits).suspicious
        return usage
