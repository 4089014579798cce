"""The same programs with the tracer listening; only for interpreters that have the engine."""

from __future__ import annotations

import gc
from functools import partial

from engine.observe import Listener
from engine.observe import state as observing
from engine.trace.environment import drop_in
from engine.trace.limits import Limits
from engine.trace.play import parsed, play, record, run
from engine.trace.scopes import ScopeStack
from engine.trace.tape import Tape
from tools.bench.programs import PROGRAMS, plain
from tools.bench.workloads import Workload


def traced() -> dict[str, Workload]:
    """Recording alone, and with all its words (narration, diagnosis, questions), in a process as the zygote prepares it."""
    drop_in.load()
    gc.freeze()
    recorded = {f"traced {name}": partial(record, code, Limits(), None) for name, code in PROGRAMS.items()}
    explained = {f"explained {name}": partial(play, code) for name, code in PROGRAMS.items()}
    deaf = {f"deaf {name}": ignored(plain(code)) for name, code in PROGRAMS.items()}
    return {**recorded, **explained, **deaf}


def ignored(work: Workload) -> Workload:
    """The engine reports to a listener that ignores everything: what no recorder could be cheaper than."""

    def run() -> None:
        observing.listener = Listener()
        try:
            work()
        finally:
            observing.listener = None

    return run


def prepared(code: str) -> Workload:
    """Runs a program that was read and instrumented before, as `tools.bench.programs.plain` runs one that was compiled."""
    program, limits, scopes = parsed(code), Limits(), ScopeStack()
    return partial(run, program, Tape(limits, None, scopes.rows), scopes, limits)
