"""Compiles a list of allowed system calls into a seccomp filter (classic BPF).

A filter sees one `struct seccomp_data`: call number, machine, and six 64-bit arguments, of which classic BPF loads
32 bits at a time. The program is a chain, one link per call::

    machine? -> not ours: kill
    number?  -> x32: kill
    call 1?  -> check alternative 1 -> allow
             -> check alternative 2 -> allow
             -> refuse
    call 2?  -> …
    refuse

Kernel reference: ``Documentation/userspace-api/seccomp_filter.rst``. The tests compare what these programs decide
with what libseccomp's decide.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterable, Sequence
from typing import Literal

from engine.sandbox.confinement.syscalls import Machine

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
_ERRNO = 0x00050000

LOAD = 0x20
AND = 0x54
JUMP_EQUAL = 0x15
JUMP_GREATER_OR_EQUAL = 0x35
RETURN = 0x06

_NUMBER_OFFSET = 0
_MACHINE_OFFSET = 4
_FURTHEST_JUMP = 255


def refuse_with(errno: int) -> int:
    """The verdict that makes the call fail with ``errno``."""
    return _ERRNO | errno


@dataclasses.dataclass(frozen=True, slots=True)
class Condition:
    """A check of one argument: its lower 32 bits, masked, must be one of ``values``.

    ``upper`` says what the upper 32 bits must be: ``zero`` for arguments that the kernel reads as 64 bits, ``any``
    for those it reads as an int (it ignores them, and so must the filter).
    """

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    upper: Literal["zero", "any"] = "any"


Alternative = tuple[Condition, ...]
"""Conditions that must all hold."""


@dataclasses.dataclass(frozen=True, slots=True)
class Allow:
    """One call that may be made, why, and with which arguments (any alternative is enough; none: any arguments)."""

    call: str
    reason: str
    when: tuple[Alternative, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Instruction:
    """One BPF instruction, ``struct sock_filter``."""

    code: int
    value: int
    if_true: int = 0
    if_false: int = 0

    def packed(self) -> bytes:
        """The 8 bytes the kernel takes."""
        return struct.pack("<HBBI", self.code, self.if_true, self.if_false, self.value)


def compile_filter(
    machine: Machine, allowed: Sequence[Allow], killed: Iterable[str], otherwise: int
) -> list[Instruction]:
    """The program for ``machine``.

    ``allowed`` calls pass when their conditions hold and get ``otherwise`` when not; ``killed`` calls end the
    process; all others get ``otherwise``. Calls that the machine does not have are left out.

    Raises ValueError when a call is listed twice or its conditions are too long for one jump.
    """
    program = [
        Instruction(LOAD, _MACHINE_OFFSET),
        Instruction(JUMP_EQUAL, machine.audit, if_true=1),
        Instruction(RETURN, KILL_PROCESS),
        Instruction(LOAD, _NUMBER_OFFSET),
    ]
    if machine.foreign_from is not None:
        program += [
            Instruction(JUMP_GREATER_OR_EQUAL, machine.foreign_from, if_false=1),
            Instruction(RETURN, KILL_PROCESS),
        ]
    seen: set[str] = set()
    links = [(rule.call, _body(rule, otherwise)) for rule in allowed]
    links += [(call, [Instruction(RETURN, KILL_PROCESS)]) for call in killed]
    for call, body in links:
        if call in seen:
            raise ValueError(f"the filter lists {call} twice: merge the two entries")
        seen.add(call)
        if call in machine.numbers:
            program += [Instruction(JUMP_EQUAL, machine.numbers[call], if_false=_distance(body, call)), *body]
    program.append(Instruction(RETURN, otherwise))
    return program


def assemble(program: Sequence[Instruction]) -> bytes:
    """The bytes the kernel takes: 8 per instruction."""
    return b"".join(instruction.packed() for instruction in program)


def _distance(body: Sequence[Instruction], call: str) -> int:
    if len(body) > _FURTHEST_JUMP:
        raise ValueError(f"the conditions of {call} need {len(body)} instructions; a jump spans {_FURTHEST_JUMP}")
    return len(body)


def _body(rule: Allow, otherwise: int) -> list[Instruction]:
    """Instructions that decide about one call, once its number has matched."""
    if not rule.when:
        return [Instruction(RETURN, ALLOW)]
    body: list[Instruction] = []
    for alternative in rule.when:
        body += _alternative(alternative)
    return [*body, Instruction(RETURN, otherwise)]


def _alternative(conditions: Alternative) -> list[Instruction]:
    """Checks that end in ALLOW; a check that fails jumps right behind it, to the next alternative."""
    checks = [check for condition in conditions for check in _checks(condition)]
    body: list[Instruction] = []
    for index, (instruction, decides) in enumerate(checks):
        behind_allow = len(checks) - index
        body.append(dataclasses.replace(instruction, if_false=behind_allow) if decides else instruction)
    return [*body, Instruction(RETURN, ALLOW)]


def _checks(condition: Condition) -> list[tuple[Instruction, bool]]:
    """Instructions of one condition; True marks those whose false branch fails the alternative."""
    lower = 16 + 8 * condition.argument
    checks: list[tuple[Instruction, bool]] = []
    if condition.upper == "zero":
        checks += [(Instruction(LOAD, lower + 4), False), (Instruction(JUMP_EQUAL, 0), True)]
    checks.append((Instruction(LOAD, lower), False))
    if condition.mask != 0xFFFFFFFF:
        checks.append((Instruction(AND, condition.mask), False))
    *others, last = condition.values
    for index, value in enumerate(others):
        # A hit jumps over the values that are left to compare; a miss goes on to the next one.
        checks.append((Instruction(JUMP_EQUAL, value, if_true=len(others) - index), False))
    checks.append((Instruction(JUMP_EQUAL, last), True))
    return checks
