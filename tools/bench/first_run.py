"""What the first run of the seed snippet takes in a process that is ready for it, in microseconds of CPU time.

    python -m tools.bench.first_run torch

PyTorch's is ready when it is imported, as for a person who starts a script; ours as the service's child is that waits for
a question (`engine.sandbox.zygote`), but for the fork.
"""

from __future__ import annotations

import gc
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
        from engine.sandbox import child, modules  # noqa: PLC0415 (the other interpreter has no engine to import)
        from tools.bench.traced import prepared  # noqa: PLC0415 (the same)

        modules.preload()
        child.specialize()
        gc.collect()
        gc.freeze()
        child.warm_up()
        run = prepared(SEED)
    started = time.process_time()
    run()
    print((time.process_time() - started) * 1e6)


if __name__ == "__main__":
    main(sys.argv[1])
