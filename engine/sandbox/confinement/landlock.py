"""Landlock: gives up every right over files, the network and other processes that this kernel can take away.

A ruleset that handles a right and has no rule for it denies it. Kernel reference:
``Documentation/userspace-api/landlock.rst``; the numbers are its ABI versions.
"""

from __future__ import annotations

import os
import struct

from engine.sandbox.confinement import kernel

_ASK_VERSION = 1
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many file system rights each ABI knows; later ones know as many as the last here."""
_NETWORK_RIGHTS = 0b11
"""Bind and connect TCP, since ABI 4."""
_SCOPES = 0b11
"""Abstract unix sockets and signals, since ABI 6: only towards processes of the same domain."""


def version() -> int:
    """The kernel's Landlock ABI; 0 where it is absent, switched off or refused by an outer filter."""
    try:
        return kernel.system_call("landlock_create_ruleset", None, 0, _ASK_VERSION)
    except (OSError, NotImplementedError):
        return 0


def deny_all(abi: int) -> None:
    """Enters a domain of its own that may touch nothing. Needs no_new_privs; domains stack, and never loosen.

    Raises OSError when the kernel refuses, ValueError for an ABI of 0.
    """
    if abi < 1:
        raise ValueError(f"Landlock ABI {abi}: this kernel has no Landlock")
    file_rights = (1 << _FILE_RIGHTS[min(abi, max(_FILE_RIGHTS))]) - 1
    attributes = struct.pack("<Q", file_rights)
    if abi >= 4:
        attributes += struct.pack("<Q", _NETWORK_RIGHTS)
    if abi >= 6:
        attributes += struct.pack("<Q", _SCOPES)
    ruleset = kernel.system_call("landlock_create_ruleset", attributes, len(attributes), 0)
    try:
        kernel.system_call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)
