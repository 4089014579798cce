"""One run: from the question on descriptor 4 to the answer on descriptor 3, and out."""

from __future__ import annotations

import fcntl
import os
from typing import NoReturn

import msgspec

from engine.sandbox import frames
from engine.sandbox.confinement.policy import ANSWER_DESCRIPTOR, QUESTION_DESCRIPTOR
from engine.sandbox.ending import EXIT_BROKEN, EXIT_OUT_OF_MEMORY
from engine.sandbox.frames import Kind
from engine.sandbox.journal import Writer
from engine.sandbox.limits import Limits
from engine.trace.document import Trace
from engine.trace.explain import explain
from engine.trace.limits import Limits as Budgets
from engine.trace.play import play
from engine.trace.tape import Batch

_OUT_OF_THE_WAY = 16
_CALLS_UNTIL_QUICK = 9
"""CPython 3.11 specializes a function's code after eight calls."""

WARM_UP = """\
import torch

x = torch.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
for turn in range(2):
    y = (x @ x + x * 2.0 - 1.0).relu().sum()
    y.backward()
print(x.grad, y.item())
"""
"""Touches what nearly every run touches, so that its pages are copied before somebody waits."""

_BUDGETS = Budgets(batch=1)
"""Every statement's steps go into the journal at once: that costs no system call, and a kill then loses nothing."""


def place(question: int, answer: int) -> None:
    """Moves a run's two descriptors to their numbers, /dev/null to 0, 1 and 2, and closes all others."""
    # First out of the way: either could stand where the other has to go.
    question, answer = (fcntl.fcntl(descriptor, fcntl.F_DUPFD, _OUT_OF_THE_WAY) for descriptor in (question, answer))
    os.dup2(answer, ANSWER_DESCRIPTOR, inheritable=False)
    os.dup2(question, QUESTION_DESCRIPTOR, inheritable=False)
    os.closerange(QUESTION_DESCRIPTOR + 1, os.sysconf("SC_OPEN_MAX"))


def specialize() -> None:
    """Warms up so often that Python has made the code quick that every run takes (PEP 659): children inherit that."""
    for _ in range(_CALLS_UNTIL_QUICK):
        warm_up()


def warm_up() -> None:
    """Plays a small snippet to the end, words and answer included. Raises RuntimeError when it does not play."""

    def sink(batch: Batch) -> None:
        msgspec.json.encode(batch)

    trace = play(WARM_UP, _BUDGETS, sink)
    if trace.outcome.status != "ok":
        raise RuntimeError(f"the warm-up snippet does not play: {trace.outcome}")
    msgspec.json.encode(trace)


def answer(journal: Writer, limits: Limits) -> NoReturn:
    """Waits for the question, answers it and ends the process.

    The answer leaves in one frame. Nothing of Python's own shutdown runs: no exit handlers, no destructors.
    """
    code = EXIT_BROKEN
    try:
        frame = frames.receive(QUESTION_DESCRIPTOR, limits.document_bytes)
        if frame is not None:
            frames.send(ANSWER_DESCRIPTOR, Kind.DOCUMENT, _document(*frame, journal))
        code = 0
    except MemoryError:
        code = EXIT_OUT_OF_MEMORY
    finally:
        os._exit(code)


def _document(kind: Kind, content: bytes, journal: Writer) -> bytes:
    if kind is Kind.FINISH:
        return msgspec.json.encode(explain(msgspec.json.decode(content, type=Trace)))
    return msgspec.json.encode(play(content.decode(), _BUDGETS, journal.write))
