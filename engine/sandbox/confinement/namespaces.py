"""Namespaces of one's own, where the system lets an ordinary user have them: nothing to see, nothing to reach.

Under Docker's default profile they are refused; then the other layers carry alone.
"""

from __future__ import annotations

import ctypes
import os

from engine.sandbox.confinement import kernel

_NEW_MOUNTS, _NEW_CGROUP, _NEW_UTS, _NEW_IPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEW_USER, _NEW_PID, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_ALL = _NEW_USER | _NEW_MOUNTS | _NEW_CGROUP | _NEW_UTS | _NEW_IPC | _NEW_PID | _NEW_NETWORK

_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_EXEC, _REMOUNT = 1, 2, 4, 8, 32
_RECURSIVE, _PRIVATE = 16384, 1 << 18
_DETACH = 2
_BARE = _NO_SUID | _NO_DEVICES | _NO_EXEC

NOBODY = 65534
"""The user and group that own nothing, by the kernel's convention."""


def enter() -> None:
    """Moves this process into new namespaces of every kind, as nobody in them.

    The pid namespace holds for children: fork, and the child is its first process. Raises OSError when the system
    refuses, in which case nothing has changed, or only the view of user ids.
    """
    user, group = os.geteuid(), os.getegid()
    kernel.system_call("unshare", _ALL)
    for name, text in (("setgroups", "deny"), ("gid_map", f"{NOBODY} {group} 1"), ("uid_map", f"{NOBODY} {user} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def empty_root() -> None:
    """Replaces the file tree by an empty, read-only one. Needs the mount namespace that `enter` made.

    Raises OSError where the system lets an ordinary user unshare but not mount.
    """
    _mount(None, b"/", None, _RECURSIVE | _PRIVATE)
    _mount(b"none", b"/tmp", b"tmpfs", _BARE, b"size=4k,nr_inodes=4,mode=0555")
    os.mkdir("/tmp/old")
    kernel.system_call("pivot_root", b"/tmp", b"/tmp/old")
    os.chdir("/")
    kernel.system_call("umount2", b"/old", _DETACH)
    os.rmdir("/old")
    _mount(None, b"/", None, _REMOUNT | _READ_ONLY | _BARE)


def _mount(source: bytes | None, target: bytes, kind: bytes | None, flags: int, data: bytes | None = None) -> None:
    pointer = None if data is None else ctypes.create_string_buffer(data)
    kernel.system_call("mount", source, target, kind, flags, pointer)
