"""How many cores this process may use: a container's share can be far below what the machine has."""

from __future__ import annotations

import math
import os
from pathlib import Path

CPU_MAX = Path("/sys/fs/cgroup/cpu.max")
"""What a container may use: microseconds of processor time, or ``max``, in a period of so many (cgroup v2)."""


def cores(cpu_max: Path = CPU_MAX) -> int:
    """The cores that this process may run on, or as many as its share of time fills if those are fewer."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = cpu_max.read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return allowed  # not in a container, or in one of another kind
    return allowed if quota == "max" else min(allowed, math.ceil(int(quota) / int(period)))
