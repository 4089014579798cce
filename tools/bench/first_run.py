"""What a process pays for its first run of the seed snippet, in microseconds of CPU time: everything but the import.

    python -m tools.bench.first_run torch

The service plays each snippet in a process that has run nothing before; so does a person who starts a script.
"""

from __future__ import annotations

import importlib
import sys
import time

from tools.bench.programs import SEED, plain
from tools.bench.workloads import Workload


def main(name: str) -> None:
    """Import, run once, and say what the run took."""
    torch = importlib.import_module(name)
    if name == "torch":
        torch.set_num_threads(1)
        run: Workload = plain(SEED)
    else:
        from engine.trace import drop_in  # noqa: PLC0415 (the other interpreter has no engine to import)
        from tools.bench.traced import traced  # noqa: PLC0415

        drop_in.load()
        run = traced()["traced seed"]
    started = time.process_time()
    run()
    print((time.process_time() - started) * 1e6)


if __name__ == "__main__":
    main(sys.argv[1])
