"""Resource limits of one child: nothing can raise them again."""

from __future__ import annotations

import dataclasses
import resource
import sys

from engine.sandbox.confinement import kernel
from engine.sandbox.limits import Limits


@dataclasses.dataclass(frozen=True, slots=True)
class Base:
    """What the warm zygote occupies already; a run's memory comes on top."""

    address_space: int
    data: int

    @classmethod
    def measure(cls) -> Base:
        """Reads this process's sizes, in bytes. Must run while ``/proc`` can still be read."""
        return cls(kernel.process_status("VmSize") * 1024, kernel.process_status("VmData") * 1024)


def apply(limits: Limits, base: Base | None, spent: int = 0) -> None:
    """Limits this process.

    Args:
        base: None where sizes cannot be measured (macOS): then memory stays unlimited.
        spent: seconds of processor time that it took before, which are not the run's.
    """

    def cap(name: str, number: int) -> None:
        resource.setrlimit(getattr(resource, name), (number, number))

    cap("RLIMIT_CORE", 0)
    cap("RLIMIT_FSIZE", 0)
    cap("RLIMIT_NOFILE", limits.descriptors)
    # SIGXCPU, which nothing in a run can catch, says which limit it was; a SIGKILL could also be the memory's.
    seconds = spent + limits.cpu_seconds
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if base is not None:
        cap("RLIMIT_AS", base.address_space + limits.journal_bytes + limits.memory_bytes)
        cap("RLIMIT_DATA", base.data + limits.memory_bytes)
    if sys.platform == "linux":
        cap("RLIMIT_STACK", limits.stack_bytes)
        cap("RLIMIT_NPROC", 0)
        cap("RLIMIT_MEMLOCK", 0)
        cap("RLIMIT_MSGQUEUE", 0)
        cap("RLIMIT_SIGPENDING", limits.pending_signals)
