"""System call numbers by name, for the two machines the sandbox knows.

Source: the kernel's ``arch/x86/entry/syscalls/syscall_64.tbl`` and ``include/uapi/asm-generic/unistd.h`` (aarch64).
A name that a machine lacks (aarch64 has no ``fork``) is absent there, and so cannot be called there either.
"""

from __future__ import annotations

import dataclasses
import platform


@dataclasses.dataclass(frozen=True, slots=True)
class Machine:
    """One instruction set: its audit number as seccomp sees it, and its call numbers."""

    name: str
    audit: int
    """``AUDIT_ARCH_*``: what ``seccomp_data.arch`` holds for a native call."""
    numbers: dict[str, int]
    foreign_from: int | None = None
    """Numbers from here on belong to another calling convention (x32) that shares the audit number."""


_NUMBERS: dict[str, tuple[int, int]] = {
    # name: (x86_64, aarch64), -1 where the machine has no such call
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "poll": (7, -1),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "dup2": (33, -1),
    "nanosleep": (35, 101),
    "getpid": (39, 172),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "clone": (56, 220),
    "fork": (57, -1),
    "vfork": (58, -1),
    "execve": (59, 221),
    "exit": (60, 93),
    "wait4": (61, 260),
    "kill": (62, 129),
    "fcntl": (72, 25),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "ptrace": (101, 117),
    "getuid": (102, 174),
    "syslog": (103, 116),
    "setuid": (105, 146),
    "setgid": (106, 144),
    "getppid": (110, 173),
    "setreuid": (113, 145),
    "setresuid": (117, 147),
    "setresgid": (119, 149),
    "capset": (126, 91),
    "personality": (135, 92),
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    "chroot": (161, 51),
    "acct": (163, 89),
    "mount": (165, 40),
    "umount2": (166, 39),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "delete_module": (176, 106),
    "gettid": (186, 178),
    "futex": (202, 98),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "kexec_load": (246, 104),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "set_robust_list": (273, 99),
    "ppoll": (271, 73),
    "vmsplice": (278, 75),
    "dup3": (292, 24),
    "perf_event_open": (298, 241),
    "prlimit64": (302, 261),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "setns": (308, 268),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "finit_module": (313, 273),
    "seccomp": (317, 277),
    "getrandom": (318, 278),
    "memfd_create": (319, 279),
    "kexec_file_load": (320, 294),
    "bpf": (321, 280),
    "execveat": (322, 281),
    "userfaultfd": (323, 282),
    "rseq": (334, 293),
    "pidfd_send_signal": (424, 424),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "pidfd_open": (434, 434),
    "close_range": (436, 436),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "mount_setattr": (442, 442),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "memfd_secret": (447, 447),
    # x86 only
    "modify_ldt": (154, -1),
    "iopl": (172, -1),
    "ioperm": (173, -1),
    "arch_prctl": (158, -1),
}

X86_64 = Machine(
    name="x86_64",
    audit=0xC000003E,
    numbers={name: pair[0] for name, pair in _NUMBERS.items()},
    foreign_from=0x40000000,
)
AARCH64 = Machine(
    name="aarch64",
    audit=0xC00000B7,
    numbers={name: pair[1] for name, pair in _NUMBERS.items() if pair[1] >= 0},
)
MACHINES = {"x86_64": X86_64, "amd64": X86_64, "aarch64": AARCH64, "arm64": AARCH64}


def this_machine() -> Machine | None:
    """The machine this process runs on; None where the sandbox has no numbers for it."""
    return MACHINES.get(platform.machine().lower())
