"""The filter's instructions, run one by one: which system calls pass, fail, or end the process."""

from __future__ import annotations

import errno
import random

import pytest

from engine.sandbox.confinement import policy
from engine.sandbox.confinement.bpf import (
    ALLOW,
    KILL_PROCESS,
    Allow,
    Condition,
    Instruction,
    assemble,
    compile_filter,
    refuse_with,
)
from engine.sandbox.confinement.syscalls import AARCH64, X86_64, Machine
from tests.engine.sandbox.confinement import libseccomp
from tests.engine.sandbox.confinement.interpreter import decide

EPERM = refuse_with(errno.EPERM)
MACHINES = pytest.mark.parametrize("machine", [X86_64, AARCH64], ids=lambda machine: machine.name)


def verdict(
    rules: list[Allow], call: str, *arguments: int, machine: Machine = X86_64, killed: tuple[str, ...] = ()
) -> int:
    program = compile_filter(machine, rules, killed, EPERM)
    return decide(program, machine.audit, machine.numbers[call], arguments)


@MACHINES
def test_a_listed_call_passes_and_any_other_is_refused(machine: Machine) -> None:
    assert verdict([Allow("read", "")], "read", machine=machine) == ALLOW
    assert verdict([Allow("read", "")], "write", machine=machine) == EPERM


def test_a_killed_call_ends_the_process() -> None:
    assert verdict([], "ptrace", killed=("ptrace",)) == KILL_PROCESS


@pytest.mark.parametrize(("value", "expected"), [(3, ALLOW), (7, ALLOW), (9, ALLOW), (4, EPERM), (0, EPERM)])
def test_each_listed_value_of_an_argument_passes(value: int, expected: int) -> None:
    assert verdict([Allow("write", "", ((Condition(0, (3, 7, 9)),),))], "write", value) == expected


def test_a_mask_looks_only_at_its_bits() -> None:
    rules = [Allow("mprotect", "", ((Condition(2, (0,), mask=4),),))]
    assert verdict(rules, "mprotect", 0, 0, 3) == ALLOW
    assert verdict(rules, "mprotect", 0, 0, 7) == EPERM


def test_the_upper_half_counts_only_where_the_kernel_reads_it() -> None:
    huge = 3 | 1 << 32
    assert verdict([Allow("read", "", ((Condition(0, (3,)),),))], "read", huge) == ALLOW
    assert verdict([Allow("read", "", ((Condition(0, (3,), upper="zero"),),))], "read", huge) == EPERM
    assert verdict([Allow("read", "", ((Condition(0, (3,), upper="zero"),),))], "read", 3) == ALLOW


def test_all_conditions_of_one_alternative_must_hold() -> None:
    rules = [Allow("mmap", "", ((Condition(2, (1,)), Condition(3, (2,))), (Condition(2, (5,)),)))]
    assert verdict(rules, "mmap", 0, 0, 1, 2) == ALLOW
    assert verdict(rules, "mmap", 0, 0, 1, 3) == EPERM
    assert verdict(rules, "mmap", 0, 0, 5, 3) == ALLOW


def test_a_failed_condition_never_falls_into_the_next_calls_rule() -> None:
    rules = [Allow("read", "", ((Condition(0, (X86_64.numbers["write"],)),),)), Allow("write", "")]
    assert verdict(rules, "read", 99) == EPERM


def test_another_machines_call_ends_the_process() -> None:
    program = compile_filter(X86_64, [Allow("read", "")], (), EPERM)
    assert decide(program, 0x40000003, 3) == KILL_PROCESS


def test_an_x32_call_ends_the_process() -> None:
    program = compile_filter(X86_64, [Allow("read", "")], (), EPERM)
    assert decide(program, X86_64.audit, 0x40000000) == KILL_PROCESS


def test_a_call_the_machine_lacks_is_left_out() -> None:
    assert compile_filter(AARCH64, [Allow("fork", "")], (), EPERM) == compile_filter(AARCH64, [], (), EPERM)


def test_a_call_listed_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match="read twice"):
        compile_filter(X86_64, [Allow("read", ""), Allow("read", "")], (), EPERM)


def test_conditions_too_long_for_a_jump_are_an_error() -> None:
    with pytest.raises(ValueError, match="a jump spans 255"):
        compile_filter(X86_64, [Allow("read", "", ((Condition(0, tuple(range(300))),),))], (), EPERM)


def test_instructions_have_the_kernels_layout() -> None:
    assert assemble([Instruction(0x15, 0xC000003E, if_true=1, if_false=2)]) == bytes.fromhex("150001023e0000c0")


POLICIES = {"child": policy.CHILD_ALLOWED, "zygote": policy.ZYGOTE_ALLOWED}


@MACHINES
@pytest.mark.parametrize("who", POLICIES)
def test_every_verdict_agrees_with_libseccomp(machine: Machine, who: str) -> None:
    """Each call of the table, with arguments around every edge of its conditions, and calls that nobody lists."""
    ours = compile_filter(machine, POLICIES[who], policy.KILLED, EPERM)
    theirs = libseccomp.compile_filter(machine, POLICIES[who], policy.KILLED, EPERM)
    dice = random.Random(0)
    interesting = (0, 1, 2, 3, 4, 5, 7, 8, 14, 34, 35, 128, 129, 137, 256, 0x122, 0x40022, 0x7E020000, 1 << 31, 1 << 32)
    numbers = {*machine.numbers.values(), *range(460)}
    for number in sorted(numbers):
        for _ in range(25):
            arguments = [dice.choice(interesting) | dice.choice(interesting) for _ in range(6)]
            assert decide(ours, machine.audit, number, arguments) == decide(theirs, machine.audit, number, arguments), (
                f"call {number} with {arguments}"
            )


@MACHINES
def test_every_call_number_agrees_with_libseccomp(machine: Machine) -> None:
    too_new = {"memfd_secret", "process_madvise", "mount_setattr"}
    for name, number in machine.numbers.items():
        theirs = libseccomp.number(name, machine)
        assert theirs == number or (theirs < 0 and name in too_new), name


@MACHINES
def test_calls_that_a_machine_is_said_to_lack_are_unknown_to_libseccomp_too(machine: Machine) -> None:
    for name in X86_64.numbers.keys() - machine.numbers.keys():
        assert libseccomp.number(name, machine) < 0, name
