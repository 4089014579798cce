"""The process that all runs are forked from: single-threaded, confined, and ignorant of what they play.

It is started by `engine.sandbox.worker` as its own program with an empty environment, imports everything once,
confines itself and then obeys two orders, one at a time:

* ``SPARE`` with three descriptors (question, answer, journal): fork a child, which confines itself further, warms up
  and waits for its question. The zygote hands the descriptors on unread, so nobody's source is ever in its memory.
* ``END``: kill what is left of the child, reap it, report what it used.

When the host goes away, the orders end and so does the zygote.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import struct
import sys
import traceback

import msgspec

from engine.sandbox import child, modules
from engine.sandbox.confinement.kernel import process_status
from engine.sandbox.confinement.layers import ON, Confinement
from engine.sandbox.ending import EXIT_BROKEN
from engine.sandbox.journal import Writer
from engine.sandbox.limits import Limits

SPARE = b"spare"
END = b"end"
USAGE = struct.Struct("<iQQ")
"""The answer to END: wait status, CPU time in microseconds, peak memory in bytes."""
_LONGEST_ORDER = 16
"""Most bytes of an order, which is one short word."""


class Orders(msgspec.Struct, forbid_unknown_fields=True):
    """What the zygote is started with, as JSON on its command line."""

    control: int
    """The descriptor of the socket to the host."""
    limits: Limits
    omit: list[str] = []
    """Layers to leave out; only tests do."""


class Failure(msgspec.Struct, forbid_unknown_fields=True):
    """Sent instead of a report when the zygote cannot start."""

    failed: str


def main(orders: Orders) -> None:
    """Prepares, reports and serves until the host hangs up."""
    control = socket.socket(fileno=orders.control)
    try:
        confinement = prepare(orders)
    except Exception:
        control.send(msgspec.json.encode(Failure(traceback.format_exc(limit=-3))))
        raise
    control.send(msgspec.json.encode(confinement.report))
    serve(control, confinement)


def prepare(orders: Orders) -> Confinement:
    """Loads, warms up and confines this process, in the order that each step needs.

    Raises:
        RuntimeError: an import has started threads.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    modules.preload()
    child.specialize()
    modules.explain_what_is_missing()
    if (threads := process_status("Threads")) != 1:
        raise RuntimeError(
            f"{threads} threads after loading: a fork would lose all but one. Which import starts threads?"
        )
    _silence()
    confinement = Confinement(orders.limits, orders.omit)
    confinement.confine_zygote()
    gc.collect()
    gc.freeze()
    return confinement


def serve(control: socket.socket, confinement: Confinement) -> None:
    """Obeys orders until there are no more."""
    running: _Child | None = None
    while True:
        order, descriptors, _, _ = socket.recv_fds(control, _LONGEST_ORDER, 3)
        if order == SPARE and running is None:
            running = _Child(control, confinement, *descriptors)
        elif order == END and running is not None:
            control.send(running.end(alone=confinement.report.layers["namespaces"] == ON))
            running = None
        else:
            # The host has hung up, or has lost count: either way its next zygote will do better.
            if running is not None:
                running.end(alone=False)
            return


class _Child:
    """The one child that lives at a time."""

    def __init__(
        self, control: socket.socket, confinement: Confinement, question: int, answer: int, journal: int
    ) -> None:
        zygote = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            _live(control, confinement, zygote, question, answer, journal)
        self.handle = os.pidfd_open(self.pid)
        for descriptor in (question, answer, journal):
            os.close(descriptor)

    def end(self, alone: bool) -> bytes:
        """Kills, reaps and reports. ``alone``: in a pid namespace of its own, where all that is left goes too."""
        signal.pidfd_send_signal(self.handle, signal.SIGKILL)
        _, status, used = os.wait4(self.pid, 0)
        os.close(self.handle)
        if alone:
            with contextlib.suppress(ProcessLookupError):  # Nothing is left, as it should be.
                os.kill(-1, signal.SIGKILL)
        return USAGE.pack(status, int((used.ru_utime + used.ru_stime) * 1e6), used.ru_maxrss * 1024)


def _live(
    control: socket.socket, confinement: Confinement, zygote: int, question: int, answer: int, journal: int
) -> None:
    """A child's whole life. It never returns."""
    try:
        limits = confinement.limits
        writer = Writer(journal, limits.journal_bytes)
        control.close()
        child.place(question, answer)
        confinement.confine_child(zygote)
        child.warm_up()
        child.answer(writer, limits)
    finally:
        os._exit(EXIT_BROKEN)


def _silence() -> None:
    """Standard input, output and error become /dev/null: from here on nobody reads them."""
    null = os.open(os.devnull, os.O_RDWR)
    sys.stdout.flush()
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


def start(orders: str) -> None:
    """Entry point of the program that `engine.sandbox.link` starts."""
    main(msgspec.json.decode(orders, type=Orders))
