r"""What the application uses: a pool of workers that play snippets.

    async with Pool(Limits(), workers=2, public=True) as pool:
        result = await pool.run("import torch\\n…")

What happens between `run` and its answer::

    run -> worker.ask ---------- pipe --------> child: play -> document
        <- check <-------------- pipe -------- (or killed: journal -> partial -> a second child finishes its words)
        -> result, and behind its back: worker.renew (kill, reap, fork the next spare)

The host never runs a snippet's code, nor the readers that explain a trace: how long those take depends on what the
person wrote, so they run in a confined child too.
"""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import logging
import os
import sys
import time
from types import TracebackType
from typing import Literal, Self

import msgspec

from engine.sandbox import partial
from engine.sandbox.attempt import Attempt
from engine.sandbox.check import Forged, checked, encode, verify
from engine.sandbox.confinement.layers import LEVELS, ON, Level, Report
from engine.sandbox.ending import Ending
from engine.sandbox.frames import Kind
from engine.sandbox.limits import Limits
from engine.sandbox.link import ZygoteLost
from engine.sandbox.plain import PlainWorker
from engine.sandbox.selftest import attack
from engine.sandbox.worker import Worker, ZygoteWorker
from engine.trace.document import Trace

log = logging.getLogger(__name__)

DEADLINE = 2.0
"""Seconds that a run waits for a free worker by default: longer, and a person presses Run again."""

_CHECKED_ASIDE = 1 << 18
"""Documents from this many bytes on are checked in a thread, so that the event loop goes on meanwhile."""

_RETRY_SECONDS = 1.0
"""How long to wait before a worker that could not be started is tried again."""


class Busy(Exception):
    """No worker became free within the deadline."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"all workers are busy; try again in about {retry_after:.0f} s")
        self.retry_after = retry_after
        """Seconds after which trying again makes sense."""


class Unsafe(RuntimeError):
    """The sandbox is too weak for the public; the message says what to fix."""


class NotStarted(RuntimeError):
    """No worker could start; the message says why."""


class BadCode(ValueError):
    """A snippet that is not played: too long, or no text."""


@dataclasses.dataclass(frozen=True, slots=True)
class RunResult:
    """A run's document and how the run ended."""

    document: bytes
    """The trace as JSON: decoded, checked and encoded again. Safe to keep and forward."""
    status: Literal["ok", "error", "limit"]
    """As in the document's outcome."""
    limit: str | None
    """Which limit, when status is ``limit``."""
    ending: Ending
    """How the process ended, as the host saw it."""
    cacheable: bool
    """Whether the same snippet gives the same document again; False after anything that depends on the machine."""
    milliseconds: float
    """From the question to the checked document, without the wait for a worker."""


@dataclasses.dataclass(slots=True)
class Counters:
    """What the pool has done since it started."""

    runs: int = 0
    endings: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    """Runs by how they ended (`Ending` values)."""
    busy: int = 0
    """Runs refused because no worker was free."""
    unfinished: int = 0
    """Partial documents that no child could finish; they went out without words."""
    gaps: int = 0
    """Documents some of whose words are missing, because a reader of the trace failed."""


class Pool:
    """Workers, and who waits for them. All methods belong to one event loop."""

    def __init__(self, limits: Limits | None = None, *, workers: int | None = None, public: bool = False) -> None:
        """``public``: refuse to start unless the sandbox is real and its self-test passes."""
        self.limits = limits or Limits()
        self.public = public
        self.counters = Counters()
        self.selftest: list[str] = []
        """What the self-test found wrong; empty is good."""
        self._workers: list[Worker] = [self._new_worker() for _ in range(workers or os.cpu_count() or 1)]
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        """The one that has rested longest runs next: its spare child has had time to warm up."""
        self._behind: set[asyncio.Task[None]] = set()

    def _new_worker(self) -> Worker:
        return ZygoteWorker(self.limits) if sys.platform == "linux" else PlainWorker(self.limits)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def reports(self) -> list[Report]:
        """What each worker's zygote says about its layers."""
        return [worker.report for worker in self._workers]

    @property
    def level(self) -> Level:
        """The weakest worker's level: ``full``, ``container``, ``reduced`` or ``none``."""
        return min((report.level for report in self.reports), key=LEVELS.index)

    @property
    def recycles(self) -> int:
        """How often a zygote was replaced."""
        return sum(worker.recycles for worker in self._workers)

    @property
    def idle(self) -> int:
        """Workers that are ready now."""
        return self._idle.qsize()

    async def start(self) -> None:
        """Starts all workers and attacks one of them.

        Raises NotStarted when a worker cannot start, Unsafe when the public would not be safe.
        """
        try:
            try:
                await asyncio.gather(*(worker.start() for worker in self._workers))
            except ZygoteLost as reason:
                raise NotStarted(f"The sandbox cannot start: {reason}") from reason
            if self.level == "none":
                self._weak(f"there is no sandbox here: {_missing(self.reports[0])}")
            else:
                self.selftest = await attack(self.limits)
                if self.selftest:
                    self._weak("the sandbox failed its self-test: " + "; ".join(self.selftest))
        except BaseException:
            await self.stop()
            raise
        for worker in self._workers:
            self._idle.put_nowait(worker)

    async def stop(self) -> None:
        """Ends all workers and what they are doing."""
        for task in self._behind:
            task.cancel()
        await asyncio.gather(*self._behind, return_exceptions=True)
        await asyncio.gather(*(worker.stop() for worker in self._workers))

    async def run(self, code: str, *, deadline: float = DEADLINE) -> RunResult:
        """Plays a snippet. ``deadline``: seconds to wait for a free worker.

        Whatever the snippet does, this returns a document. Raises Busy when no worker is free in time, BadCode for
        code that is too long or holds lone surrogates.
        """
        content = self._content(code)
        worker = await self._free_worker(deadline)
        try:
            began = time.perf_counter()
            attempt = await worker.ask(Kind.PLAY, content)
            if attempt.answer is not None:
                ending, trace, document = await self._checked(code, attempt.answer)
            else:
                ending = attempt.ending
                if ending is Ending.FAULT:
                    log.error("a run could not be told what it did; that is a fault of ours, not of the snippet's")
                trace, document = await self._finished(worker, code, attempt)
            milliseconds = (time.perf_counter() - began) * 1e3
        finally:
            self._renew_behind(worker)
        if trace.unsaid:
            self.counters.gaps += 1
            log.error("a run's words have %d gaps, the first: %s", len(trace.unsaid), _short(trace.unsaid[0]))
        self.counters.runs += 1
        self.counters.endings[ending.value] += 1
        outcome = trace.outcome
        return RunResult(document, outcome.status, outcome.limit, ending, _cacheable(ending, trace), milliseconds)

    def _content(self, code: str) -> bytes:
        try:
            content = code.encode()
        except UnicodeEncodeError as error:
            raise BadCode(f"the code holds a lone surrogate at character {error.start}: it is no text") from None
        if len(content) > self.limits.code_bytes:
            raise BadCode(f"the code has {len(content)} bytes; at most {self.limits.code_bytes} are played")
        return content

    async def _free_worker(self, deadline: float) -> Worker:
        try:
            async with asyncio.timeout(deadline):
                return await self._idle.get()
        except TimeoutError:
            self.counters.busy += 1
            raise Busy(retry_after=max(1.0, self.limits.wall_seconds / len(self._workers))) from None

    async def _checked(self, code: str, answer: bytes) -> tuple[Ending, Trace, bytes]:
        """The document if it is one; otherwise the least that can be said."""
        try:
            if len(answer) >= _CHECKED_ASIDE:
                trace, document = await asyncio.to_thread(checked, answer, code, self.limits)
            else:
                trace, document = checked(answer, code, self.limits)
        except Forged as reason:
            log.warning("a run's document was refused: %s", _short(reason))
            trace = partial.assemble(code, [], Ending.FORGED)
            return Ending.FORGED, trace, encode(trace)
        return Ending.ANSWERED, trace, document

    async def _finished(self, worker: Worker, code: str, attempt: Attempt) -> tuple[Trace, bytes]:
        """The partial document, its words filled in by a second child under the same limits."""
        trace = partial.assemble(code, attempt.batches, attempt.ending)
        try:
            verify(trace, code, self.limits)
        except Forged as reason:
            log.warning("a run's journal was refused: %s", _short(reason))
            trace = partial.assemble(code, [], attempt.ending)
            return trace, encode(trace)
        try:
            await worker.renew()
            second = await worker.ask(Kind.FINISH, msgspec.json.encode(trace))
        except ZygoteLost as reason:
            log.warning("no child to finish a partial trace: %s", reason)
        else:
            if second.answer is not None:
                ending, finished, document = await self._checked(code, second.answer)
                if ending is Ending.ANSWERED and finished.outcome.limit == trace.outcome.limit:
                    return finished, document
        self.counters.unfinished += 1
        return trace, encode(trace)

    def _renew_behind(self, worker: Worker) -> None:
        """Gets the worker ready again while the result is already on its way."""
        task = asyncio.create_task(self._renew(worker))
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)

    async def _renew(self, worker: Worker) -> None:
        while True:
            try:
                await worker.renew()
            except Exception:  # whatever it was: who gives up here takes a worker from everybody, for good
                log.exception("a worker could not be renewed; trying again in %g s", _RETRY_SECONDS)
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                self._idle.put_nowait(worker)
                return

    def _weak(self, what: str) -> None:
        if self.public:
            raise Unsafe(f"{what}. The service does not start in public mode; fix this, or serve on loopback only.")
        log.warning("%s. Serve this on loopback only.", what)


def _cacheable(ending: Ending, trace: Trace) -> bool:
    """Memory is a matter of the machine even when the run itself could still say so; gaps are there until they are mended."""
    of_memory = trace.outcome.limit == "memory" or trace.outcome.error == "MemoryError"
    return ending.deterministic and not of_memory and not trace.unsaid


def _missing(report: Report) -> str:
    missing = [f"{name} ({state})" for name, state in report.layers.items() if state != ON]
    if report.user == 0:
        missing.append("runs would be root")
    return "missing are " + ", ".join(missing)


def _short(reason: object) -> str:
    """A refusal may quote what a run sent: keep it to one short printable line."""
    return ascii(str(reason))[:200]
