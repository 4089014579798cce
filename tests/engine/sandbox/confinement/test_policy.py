"""What zygote and child may ask of the kernel."""

from __future__ import annotations

import errno

import pytest

from engine.sandbox.confinement import policy
from engine.sandbox.confinement.bpf import ALLOW, KILL_PROCESS, refuse_with
from engine.sandbox.confinement.syscalls import AARCH64, X86_64, Machine
from tests.engine.sandbox.confinement.interpreter import decide

EPERM = refuse_with(errno.EPERM)
MACHINES = pytest.mark.parametrize("machine", [X86_64, AARCH64], ids=lambda machine: machine.name)


def child(machine: Machine, call: str, *arguments: int) -> int:
    return decide(policy.child_filter(machine), machine.audit, machine.numbers[call], arguments)


def test_every_allowed_and_killed_call_has_its_reason() -> None:
    for rule in (*policy.CHILD_ALLOWED, *policy.ZYGOTE_ALLOWED):
        assert rule.reason, rule.call
    assert all(policy.KILLED.values())


@MACHINES
def test_a_child_may_do_no_more_than_its_zygote(machine: Machine) -> None:
    """The filters stack: what the zygote's refuses, a child could never do, and a rule for it would mislead."""
    zygote = {rule.call for rule in policy.ZYGOTE_ALLOWED}
    assert {rule.call for rule in policy.CHILD_ALLOWED} <= zygote


@MACHINES
def test_a_child_writes_only_its_answer_and_reads_only_its_question(machine: Machine) -> None:
    assert child(machine, "write", policy.ANSWER_DESCRIPTOR) == ALLOW
    assert child(machine, "read", policy.QUESTION_DESCRIPTOR) == ALLOW
    assert {child(machine, "write", descriptor) for descriptor in (0, 1, 2, 4, 5)} == {EPERM}
    assert {child(machine, "read", descriptor) for descriptor in (0, 1, 2, 3, 5)} == {EPERM}


@MACHINES
@pytest.mark.parametrize("flags", [0x1, 0x2, 0x21, 0x22 | 0x40000, 0x22 | 0x100], ids=hex)
def test_a_child_maps_only_private_anonymous_memory(machine: Machine, flags: int) -> None:
    assert child(machine, "mmap", 0, 4096, 3, 0x22) == ALLOW
    assert child(machine, "mmap", 0, 4096, 3, flags) == EPERM


@MACHINES
def test_no_memory_becomes_executable(machine: Machine) -> None:
    assert child(machine, "mmap", 0, 4096, 7, 0x22) == EPERM
    assert child(machine, "mprotect", 0, 4096, 5) == EPERM
    zygote = policy.zygote_filter(machine)
    assert decide(zygote, machine.audit, machine.numbers["mmap"], (0, 4096, 7, 0x1)) == EPERM


@MACHINES
def test_the_zygote_forks_but_makes_no_threads_and_no_namespaces(machine: Machine) -> None:
    zygote = policy.zygote_filter(machine)
    clone = machine.numbers["clone"]
    assert decide(zygote, machine.audit, clone, (0x1200011,)) == ALLOW
    assert decide(zygote, machine.audit, clone, (0x3D0F00,)) == EPERM
    assert decide(zygote, machine.audit, clone, (0x10000011,)) == EPERM


@MACHINES
def test_a_child_cannot_fork_but_is_told_so_in_words(machine: Machine) -> None:
    assert child(machine, "clone", 0x1200011) == EPERM


@MACHINES
@pytest.mark.parametrize("call", ["ptrace", "bpf", "io_uring_setup", "execve", "mount", "unshare", "userfaultfd"])
def test_what_no_snippet_needs_ends_the_run(machine: Machine, call: str) -> None:
    assert child(machine, call) == KILL_PROCESS
