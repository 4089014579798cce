"""The host's link to one zygote: start it, give orders, kill it."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import pathlib
import socket
import subprocess
import sys
from collections.abc import Collection, Sequence

import msgspec

from engine.sandbox import journal
from engine.sandbox.confinement.layers import Report
from engine.sandbox.ending import Usage
from engine.sandbox.limits import Limits
from engine.sandbox.zygote import END, SPARE, USAGE, Failure, Orders

_ROOT = str(pathlib.Path(__file__).resolve().parents[2])

BOOTSTRAP = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from engine.sandbox.{module} import start; start(sys.argv[1])"
)

SWITCHES = ("-s", "-P", "-B")
"""``-I`` is ``-E -s -P``. All but ``-E``: the environment below is all there is, and `PYTHONHASHSEED` must be heard."""

ENVIRONMENT = {
    "PYTHONHASHSEED": "0",  # The order of a set is the same in each zygote: same code, same trace (law 7).
    "PYTHONUTF8": "1",
    "OPENBLAS_NUM_THREADS": "1",  # A fork keeps one thread; a library's pool would be lost, and its locks with it.
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}

_LONGEST_REPORT = 1 << 16
"""Most bytes of what a zygote says of its start: how strong the isolation is, or why there is none."""


class ZygoteLost(Exception):
    """The zygote does not answer, or not as it should. It is beyond use; the message says what was seen."""


@dataclasses.dataclass(slots=True)
class Spare:
    """The host's ends of a child that waits: two pipes and the journal."""

    question: int
    answer: int
    journal: int

    def close(self) -> None:
        """Lets go of all three. A waiting child then sees the end of its question and ends."""
        for descriptor in (self.question, self.answer, self.journal):
            os.close(descriptor)


@dataclasses.dataclass(slots=True)
class Channels:
    """Both ends of what a child is asked and answers by."""

    ours: Spare
    question: int
    answer: int

    def hand_over(self) -> None:
        """Lets go of the child's ends: it has its own copies now."""
        os.close(self.question)
        os.close(self.answer)


def open_channels(limits: Limits) -> Channels:
    """Two pipes, ours non-blocking, and a journal. Raises ZygoteLost where the system gives no more descriptors."""
    with contextlib.ExitStack() as undo:

        def kept(descriptor: int) -> int:
            undo.callback(os.close, descriptor)
            return descriptor

        try:
            question, our_question = map(kept, os.pipe())
            our_answer, answer = map(kept, os.pipe())
            memory = kept(journal.create(limits.journal_bytes))
        except OSError as error:
            raise ZygoteLost(f"no pipes and no journal for the next run: {error}") from error
        os.set_blocking(our_question, False)
        os.set_blocking(our_answer, False)
        undo.pop_all()
    return Channels(Spare(our_question, our_answer, memory), question, answer)


def launch(module: str, orders: bytes, descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
    """Starts ``engine.sandbox.<module>`` on its own, with nothing of ours but these descriptors and standard error."""
    return subprocess.Popen(
        [sys.executable, *SWITCHES, "-c", BOOTSTRAP.format(module=module), _ROOT, orders.decode()],
        pass_fds=descriptors,
        env=ENVIRONMENT,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )


class Link:
    """One zygote process. Made by `open`."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, limits: Limits) -> None:
        self.process = process
        self.control = control
        self.limits = limits
        self.report = Report()

    @classmethod
    async def open(cls, limits: Limits, omit: Collection[str] = ()) -> Link:
        """Starts a zygote and waits for its report. Raises ZygoteLost with the reason when it cannot start."""
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError as error:
            raise ZygoteLost(f"no socket for a zygote: {error}") from error
        with theirs:
            orders = msgspec.json.encode(Orders(control=theirs.fileno(), limits=limits, omit=sorted(omit)))
            try:
                process = await asyncio.to_thread(launch, "zygote", orders, [theirs.fileno()])
            except OSError as error:
                ours.close()
                raise ZygoteLost(f"no process for a zygote: {error}") from error
        ours.setblocking(False)
        link = cls(process, ours, limits)
        try:
            link.report = await link._receive_report()
        except BaseException:
            link.close()
            raise
        return link

    def spare(self) -> Spare:
        """Orders a child. It confines itself and warms up while nobody waits. Raises ZygoteLost."""
        channels = open_channels(self.limits)
        try:
            socket.send_fds(self.control, [SPARE], [channels.question, channels.answer, channels.ours.journal])
        except OSError as error:
            channels.ours.close()
            raise ZygoteLost(f"the zygote takes no orders: {error}") from error
        finally:
            channels.hand_over()
        return channels.ours

    async def end(self) -> Usage:
        """Ends the child and says what it used."""
        try:
            self.control.send(END)
        except OSError as error:
            raise ZygoteLost(f"the zygote takes no orders: {error}") from error
        reply = await self._receive(USAGE.size + 1, self.limits.stop_seconds)
        if len(reply) != USAGE.size:
            raise ZygoteLost(f"the zygote answered {reply[:40]!r} instead of what its child used")
        status, microseconds, peak = USAGE.unpack(reply)
        return Usage(status, microseconds / 1e6, peak)

    def close(self) -> None:
        """Kills the zygote, and with it everything it has forked."""
        self.control.close()
        self.process.kill()
        self.process.wait()

    async def _receive_report(self) -> Report:
        content = await self._receive(_LONGEST_REPORT, self.limits.start_seconds)
        with contextlib.suppress(msgspec.ValidationError):
            raise ZygoteLost(f"the zygote could not start:\n{msgspec.json.decode(content, type=Failure).failed}")
        try:
            return msgspec.json.decode(content, type=Report)
        except msgspec.MsgspecError as error:
            raise ZygoteLost(f"the zygote's report cannot be read: {error}") from error

    async def _receive(self, size: int, seconds: float) -> bytes:
        try:
            async with asyncio.timeout(seconds):
                content = await asyncio.get_running_loop().sock_recv(self.control, size)
        except TimeoutError:
            raise ZygoteLost(f"the zygote did not answer within {seconds:g} s") from None
        except OSError as error:
            raise ZygoteLost(f"the zygote's socket broke: {error}") from error
        if not content:
            raise ZygoteLost(f"the zygote has ended, exit code {self.process.poll()}; its last words are on stderr")
        return content
