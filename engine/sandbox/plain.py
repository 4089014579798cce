"""Where the kernel offers no sandbox (macOS): a fresh process per run, with resource limits and a wall clock.

This is **not a sandbox**: a snippet can read files and reach the network. Its level is ``none``; serve it to yourself
alone, on loopback.
"""

from __future__ import annotations

import asyncio
import math
import os
import signal
import subprocess
import sys
import time

import msgspec

from engine.sandbox import child, modules
from engine.sandbox.attempt import Attempt, attempt
from engine.sandbox.confinement import rlimits
from engine.sandbox.confinement.layers import Report
from engine.sandbox.ending import Usage
from engine.sandbox.frames import Kind
from engine.sandbox.journal import Writer
from engine.sandbox.limits import Limits
from engine.sandbox.link import Spare, ZygoteLost, launch, open_channels


class Orders(msgspec.Struct, forbid_unknown_fields=True):
    """What the process is started with, as JSON on its command line."""

    question: int
    answer: int
    journal: int
    limits: Limits


def start(orders: str) -> None:
    """Entry point of the process: prepare, then one run."""
    order = msgspec.json.decode(orders, type=Orders)
    modules.preload()
    child.warm_up()
    modules.explain_what_is_missing()
    writer = Writer(order.journal, order.limits.journal_bytes)
    base = rlimits.Base.measure() if sys.platform == "linux" else None
    child.place(order.question, order.answer)
    # A process that was not forked has spent a second or more on loading.
    rlimits.apply(order.limits, base, math.ceil(time.process_time()))
    child.answer(writer, order.limits)


class PlainWorker:
    """Keeps one process loaded and waiting, as the real worker keeps its spare child."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.report = Report(layers={"rlimits": "on", "seccomp": f"not on {sys.platform}"}, user=os.geteuid())
        self.recycles = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._spare: Spare | None = None

    async def start(self) -> None:
        """Starts the process that the next run is for. Raises ZygoteLost where the system gives none."""
        channels = open_channels(self.limits)
        orders = Orders(channels.question, channels.answer, channels.ours.journal, self.limits)
        try:
            self._process = await asyncio.to_thread(
                launch, "plain", msgspec.json.encode(orders), [orders.question, orders.answer, orders.journal]
            )
        except OSError as error:
            channels.ours.close()
            raise ZygoteLost(f"no process for the next run: {error}") from error
        finally:
            channels.hand_over()
        self._spare = channels.ours

    async def ask(self, kind: Kind, content: bytes) -> Attempt:
        """As `ZygoteWorker.ask`.

        Raises:
            RuntimeError: there is no process to ask.
        """
        if self._spare is None:
            raise RuntimeError("this worker has no process: call start() once, and renew() after each ask()")
        spare, self._spare = self._spare, None
        return await attempt(spare, kind, content, self.limits, self._end)

    async def renew(self) -> None:
        """Ends what ran and starts the next."""
        await self._end()
        await self.start()

    async def stop(self) -> None:
        """Ends everything."""
        await self._end()
        if self._spare is not None:
            self._spare.close()
            self._spare = None

    async def _end(self) -> Usage | None:
        if self._process is None:
            return None
        process, self._process = self._process, None
        return await asyncio.to_thread(_end, process)


def _end(process: subprocess.Popen[bytes]) -> Usage:
    """Kills and reaps. ``Popen``'s own kill and wait would reap without saying what was used."""
    os.kill(process.pid, signal.SIGKILL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    return Usage(status, used.ru_utime + used.ru_stime, used.ru_maxrss * unit)
