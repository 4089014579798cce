"""Importing the engine beside importing numpy, each in a process of its own."""

from __future__ import annotations

import sys

from tools.bench.fresh import least
from tools.bench.table import Row, show

ROUNDS = 15
LIMIT = 1.8
"""The greatest ratio to importing numpy that is promised."""
TIMED = """
import time
started = time.thread_time()
import {module}
print((time.thread_time() - started) * 1e3)
"""


def measure() -> None:
    """CPU time of the thread that says ``import engine.torch`` (numpy included) or ``import numpy``.

    Of that thread alone: the linear algebra library behind numpy starts others, which spin for a while.
    """
    modules = ("engine.torch", "numpy")
    taken = least({module: [sys.executable, "-c", TIMED.format(module=module)] for module in modules}, ROUNDS)
    show("import, ms of CPU", "numpy", [Row("import engine.torch", taken["engine.torch"], taken["numpy"], LIMIT)])
