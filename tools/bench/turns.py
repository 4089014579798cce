"""Two interpreters that take turns, ours and the one with real PyTorch: neither can import the other's torch.

Each is a `tools.bench.worker` that waits for an order on its standard input, so only one of them computes at a time and
a round of one follows at once on the same round of the other. Each has a processor of its own, whose caches it need not share,
and they change places from time to time. What counts is the CPU time of the worker's thread in the best of many short rounds: a
busy machine disturbs little.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from tools.serving import ROOT

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
ROUNDS = 100
STRETCH = 25
"""Rounds before the two change places: what else runs on a processor slows down whoever stays there."""
OURS, THEIRS = "engine.torch", "torch"


class Worker:
    """A process with one torch in it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def settle(self, place: int) -> None:
        """Stays on one of the processors that we may use, counted from ``place``."""
        if hasattr(os, "sched_setaffinity"):
            processors = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(self._process.pid, {processors[place % len(processors)]})

    def ask(self, order: str) -> float:
        """Microseconds that one call of the workload ``order`` took in a short round.

        Raises:
            RuntimeError: the worker ended instead.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(order + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the worker ended at {order!r}; its last words are above")
        return float(answer)


@contextmanager
def worker(python: str, torch: str) -> Iterator[Worker]:
    """A worker that imports ``torch`` in the interpreter ``python``; it ends with the block."""
    with subprocess.Popen(
        [python, "-m", "tools.bench.worker", torch],
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Worker(process)
        finally:
            process.terminate()


def compare(
    torch_python: str | None, orders: Sequence[str], rounds: int = ROUNDS
) -> dict[str, tuple[float, float | None]]:
    """The best of so many rounds of each order, in microseconds per call: ours, and PyTorch's where there is one."""
    with ExitStack() as stack:
        ours = stack.enter_context(worker(sys.executable, OURS))
        theirs = None if torch_python is None else stack.enter_context(worker(torch_python, THEIRS))
        all_taken = {order: [_round(order, ours, theirs, turn) for turn in range(rounds)] for order in orders}
    return {
        order: (min(mine for mine, _ in taken), min(his) if (his := [t for _, t in taken if t is not None]) else None)
        for order, taken in all_taken.items()
    }


def alternate(pairs: Sequence[tuple[str, str]], rounds: int) -> list[tuple[float, float]]:
    """The best of so many rounds of both orders of each pair, in microseconds per call.

    The two take turns, so that a machine that slows down for a while does it to both.
    """
    with worker(sys.executable, OURS) as ours:
        taken = [[(ours.ask(one), ours.ask(other)) for _ in range(rounds)] for one, other in pairs]
    return [(min(one for one, _ in each), min(other for _, other in each)) for each in taken]


def _round(order: str, ours: Worker, theirs: Worker | None, turn: int) -> tuple[float, float | None]:
    if turn % STRETCH == 0:
        for place, each in enumerate((ours, theirs), turn // STRETCH):
            if each is not None:
                each.settle(place)
    return ours.ask(order), None if theirs is None else theirs.ask(order)
