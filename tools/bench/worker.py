"""Times workloads for `tools.bench.turns`, in the interpreter that has the torch in question.

    python -m tools.bench.worker torch

Reads a workload's name per line, answers with microseconds per call.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable

from tools.bench.workloads import Workload, workloads

ROUND_SECONDS = 0.003
"""Short enough that some rounds pass without an interruption."""
MOST_CALLS = 2000
"""Per round, where one call takes next to no time."""
WARM_UP = 5


def seconds(work: Workload, calls: int) -> float:
    """CPU time of this thread for one call."""
    started = time.thread_time()
    for _ in range(calls):
        work()
    return (time.thread_time() - started) / calls


def timer(work: Workload) -> Callable[[], float]:
    """A function that runs one round of ``work``, which is warm by then."""
    for _ in range(WARM_UP):
        work()
    calls = max(1, min(MOST_CALLS, int(ROUND_SECONDS / max(seconds(work, 3), 1e-7))))
    return lambda: seconds(work, calls)


def main(name: str) -> None:
    """Obey orders until there are no more."""
    torch = importlib.import_module(name)
    if hasattr(torch, "set_num_threads"):
        torch.set_num_threads(1)
    sys.modules["torch"] = torch  # what programs import
    known = workloads(torch)
    if name.startswith("engine."):
        from tools.bench.traced import traced  # noqa: PLC0415 (the other interpreter has no engine to import)

        known |= traced()
    timers: dict[str, Callable[[], float]] = {}
    for line in sys.stdin:
        order = line.strip()
        if order not in timers:
            timers[order] = timer(known[order])
        print(timers[order]() * 1e6, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
