"""Which system calls a run may make, with the reason for each. Everything else fails with EPERM or ends the run.

Three answers exist:

* **allowed**: numpy and the interpreter need it while they compute;
* **refused** (EPERM): honest code may try it (opening a file, starting a thread), and deserves a Python exception
  at its line;
* **killed** (SIGSYS): no honest snippet ever makes it, so making it ends the run and is counted.
"""

from __future__ import annotations

import errno

from engine.sandbox.confinement import kernel
from engine.sandbox.confinement.bpf import Allow, Condition, Instruction, compile_filter, refuse_with
from engine.sandbox.confinement.syscalls import Machine

ANSWER_DESCRIPTOR = 3
"""Where a child writes its one frame."""
QUESTION_DESCRIPTOR = 4
"""Where a child reads what to play."""

_PROT_EXEC = 0x4
_MAP_SHARED, _MAP_PRIVATE, _MAP_ANONYMOUS, _MAP_GROWSDOWN, _MAP_HUGETLB = 0x1, 0x2, 0x20, 0x100, 0x40000
_MAP_CHECKED = _MAP_SHARED | _MAP_PRIVATE | _MAP_ANONYMOUS | _MAP_GROWSDOWN | _MAP_HUGETLB
_MADV_DONTNEED, _MADV_FREE, _MADV_HUGEPAGE = 4, 8, 14
_FUTEX_OPERATIONS = (0, 1, 9, 10)
_FUTEX_FLAGS = 128 | 256
_CLONE_VM, _CLONE_PTRACE, _CLONE_NAMESPACES = 0x100, 0x2000, 0x7E020080

_NOT_EXECUTABLE = Condition(2, (0,), mask=_PROT_EXEC)

_MEMORY = (
    Allow("munmap", "frees memory"),
    Allow("mremap", "realloc of large blocks"),
    Allow("brk", "malloc's small blocks"),
    Allow("mprotect", "malloc's arenas; never executable", ((_NOT_EXECUTABLE,),)),
    Allow(
        "madvise",
        "numpy asks for huge pages, malloc gives pages back",
        ((Condition(2, (_MADV_DONTNEED, _MADV_FREE, _MADV_HUGEPAGE)),),),
    ),
)

_EVERYWHERE = (
    Allow(
        "futex",
        "the interpreter's lock: wait and wake only, no requeue and no priority inheritance",
        ((Condition(1, _FUTEX_OPERATIONS, mask=0xFFFFFFFF & ~_FUTEX_FLAGS),),),
    ),
    Allow("getrandom", "seeds of hash tables and of unseeded generators"),
    Allow("clock_gettime", "time.time, where the vDSO does not answer"),
    Allow("clock_getres", "time.get_clock_info"),
    Allow("gettimeofday", "the same, older callers"),
    Allow("clock_nanosleep", "time.sleep; the wall clock ends a long one"),
    Allow("sched_yield", "a contended lock"),
    Allow("getpid", "asked by libraries after a fork; says nothing useful"),
    Allow("gettid", "the same"),
    Allow("rt_sigreturn", "returning from a signal handler"),
    Allow("exit", "the end"),
    Allow("exit_group", "the end"),
)

CHILD_ALLOWED: tuple[Allow, ...] = (
    Allow("read", "the question, and nothing else", ((Condition(0, (QUESTION_DESCRIPTOR,)),),)),
    Allow("write", "the answer, and nothing else", ((Condition(0, (ANSWER_DESCRIPTOR,)),),)),
    Allow(
        "mmap",
        "fresh private memory, never executable, never of a file",
        ((_NOT_EXECUTABLE, Condition(3, (_MAP_PRIVATE | _MAP_ANONYMOUS,), mask=_MAP_CHECKED)),),
    ),
    *_MEMORY,
    *_EVERYWHERE,
)

ZYGOTE_ALLOWED: tuple[Allow, ...] = (
    Allow("read", "a child reads its question under this filter too"),
    Allow("write", "a child writes its answer under this filter too"),
    Allow("mmap", "a child maps its journal, shared, before its own filter stands", ((_NOT_EXECUTABLE,),)),
    *_MEMORY,
    *_EVERYWHERE,
    Allow(
        "clone",
        "fork: no shared memory, no new namespaces, no tracing",
        ((Condition(0, (0,), mask=_CLONE_VM | _CLONE_PTRACE | _CLONE_NAMESPACES),),),
    ),
    Allow("set_robust_list", "the C library, in a fresh child"),
    Allow("rseq", "the same"),
    Allow("wait4", "reaping a child and reading what it used"),
    Allow("kill", "everything that is left of a run, inside its own pid namespace"),
    Allow("pidfd_open", "a handle on a child that cannot be recycled"),
    Allow("pidfd_send_signal", "killing exactly that child"),
    Allow("poll", "waiting for the host or for the child's end"),
    Allow("ppoll", "the same, on machines without poll"),
    Allow("recvmsg", "the host's orders, with the descriptors of a run"),
    Allow("sendmsg", "reports to the host"),
    Allow("sendto", "the same, as the C library spells send"),
    Allow("close", "descriptors that were handed on"),
    Allow("close_range", "everything a child must not inherit"),
    Allow("dup2", "putting a child's descriptors in place"),
    Allow("dup3", "the same"),
    Allow("fcntl", "the same: the interpreter sets close-on-exec"),
    Allow("getppid", "a child makes sure that its zygote still lives"),
    Allow("rt_sigaction", "signal handlers of a fresh child"),
    Allow("rt_sigprocmask", "the C library blocks signals around a fork"),
    Allow(
        "prctl",
        "a child confines itself",
        (
            (
                Condition(
                    0,
                    (
                        kernel.PR_SET_PDEATHSIG,
                        kernel.PR_SET_DUMPABLE,
                        kernel.PR_SET_SECCOMP,
                        kernel.PR_SET_NO_NEW_PRIVS,
                        kernel.PR_GET_NO_NEW_PRIVS,
                    ),
                ),
            ),
        ),
    ),
    Allow("prlimit64", "a child limits itself"),
    Allow("landlock_create_ruleset", "a child builds its own Landlock domain"),
    Allow("landlock_restrict_self", "and enters it"),
)

KILLED: dict[str, str] = {
    "ptrace": "takes over another process",
    "process_vm_readv": "reads another process",
    "process_vm_writev": "writes another process",
    "process_madvise": "changes another process's memory",
    "pidfd_getfd": "takes another process's descriptors",
    "kcmp": "compares kernel pointers",
    "execve": "becomes another program",
    "execveat": "becomes another program",
    "fork": "the old name; the C library uses clone",
    "vfork": "the same",
    "memfd_create": "a file to execute",
    "memfd_secret": "memory the kernel cannot see",
    "bpf": "loads programs into the kernel",
    "perf_event_open": "measures others; a source of kernel bugs",
    "userfaultfd": "stops the kernel in the middle of a copy",
    "io_uring_setup": "makes system calls past this filter",
    "io_uring_enter": "the same",
    "io_uring_register": "the same",
    "keyctl": "the kernel's key rings",
    "add_key": "the same",
    "request_key": "the same",
    "mount": "changes the file tree",
    "umount2": "the same",
    "pivot_root": "the same",
    "chroot": "the same",
    "open_tree": "the same, newer",
    "move_mount": "the same, newer",
    "fsopen": "the same, newer",
    "fsconfig": "the same, newer",
    "fsmount": "the same, newer",
    "mount_setattr": "the same, newer",
    "unshare": "new namespaces are new kernel surface",
    "setns": "enters another's namespaces",
    "name_to_handle_at": "names a file past the file tree",
    "open_by_handle_at": "opens a file past the file tree",
    "init_module": "loads code into the kernel",
    "finit_module": "the same",
    "delete_module": "the same",
    "kexec_load": "replaces the kernel",
    "kexec_file_load": "the same",
    "reboot": "the machine",
    "swapon": "the machine",
    "swapoff": "the machine",
    "acct": "the machine",
    "syslog": "reads the kernel's log, with its addresses",
    "personality": "turns off address randomisation",
    "modify_ldt": "x86 segments: a source of kernel bugs",
    "iopl": "x86 ports",
    "ioperm": "x86 ports",
}
"""Calls that end the run, with what they would do."""

REFUSED = refuse_with(errno.EPERM)


def child_filter(machine: Machine) -> list[Instruction]:
    """What a child lives under from its warm-up on."""
    return compile_filter(machine, CHILD_ALLOWED, KILLED, REFUSED)


def zygote_filter(machine: Machine) -> list[Instruction]:
    """What the zygote lives under; its children inherit it and add their own, and the stricter verdict counts."""
    return compile_filter(machine, ZYGOTE_ALLOWED, KILLED, REFUSED)
