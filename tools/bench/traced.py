"""The same programs with the tracer listening; only for interpreters that have the engine."""

from __future__ import annotations

from functools import partial

from engine.trace.limits import Limits
from engine.trace.play import play, record
from tools.bench.programs import PROGRAMS
from tools.bench.workloads import Workload


def traced() -> dict[str, Workload]:
    """Recording alone, and with all its words (narration, diagnosis, questions)."""
    recorded = {f"traced {name}": partial(record, code, Limits(), None) for name, code in PROGRAMS.items()}
    explained = {f"explained {name}": partial(play, code) for name, code in PROGRAMS.items()}
    return {**recorded, **explained}
