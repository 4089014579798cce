"""Gives up what a process may do by who it is: user id, capabilities, gaining privileges, being inspected."""

from __future__ import annotations

import os
import struct

from engine.sandbox.confinement import kernel
from engine.sandbox.confinement.namespaces import NOBODY

_CAPABILITY_VERSION_3 = 0x20080522
_CAPABILITIES = 64


def become_nobody() -> None:
    """Drops root to the user nobody; an ordinary user stays who it is."""
    if os.geteuid() != 0 and os.getuid() != 0:
        return
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    # The kernel makes a process undumpable when its ids change, and then its /proc files belong to root: the
    # maps of a user namespace could not be written. `forbid_inspection` takes it away again.
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)


def drop_capabilities() -> None:
    """Empties every capability set, the bounding set included where that is allowed."""
    for capability in range(_CAPABILITIES):
        try:
            kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
        except OSError:
            # EPERM: this process has no capability to drop from the bounding set with, and no_new_privs will keep
            # it from ever using that set; EINVAL: the kernel knows no further capabilities.
            break
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    kernel.system_call("capset", header, bytes(24))


def forbid_new_privileges() -> None:
    """From here on no exec can gain rights; also the ticket to seccomp and Landlock for ordinary users."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)


def forbid_inspection() -> None:
    """No core dump, no ptrace, and ``/proc/<pid>`` belongs to root."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
