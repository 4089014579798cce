"""Numbers of the system calls that only attackers make, beside the sandbox's own table."""

from __future__ import annotations

from engine.sandbox.confinement.syscalls import X86_64, this_machine

_MORE: dict[str, tuple[int, int]] = {
    # The name, and its numbers on x86_64 and aarch64.
    "arch_prctl": (158, -1),
    "clone3": (435, 435),
    "fchmodat2": (452, 452),
    "linkat": (265, 37),
    "memfd_create": (319, 279),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "mlock": (149, 228),
    "openat2": (437, 437),
    "pkey_mprotect": (329, 288),
    "semget": (64, 190),
    "shmget": (29, 194),
    "socket": (41, 198),
    "tgkill": (234, 131),
    "truncate": (76, 45),
}


def number(name: str) -> int:
    """The call's number on this machine. Raises KeyError where it has none."""
    machine = this_machine()
    assert machine is not None
    if name in machine.numbers:
        return machine.numbers[name]
    return _MORE[name][0 if machine is X86_64 else 1]
