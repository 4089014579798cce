"""libseccomp through ctypes, as a second opinion: call numbers, and filters compiled by somebody else."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import tempfile
from collections.abc import Iterable, Sequence

import pytest

from engine.sandbox.confinement.bpf import ALLOW, KILL_PROCESS, Allow, Instruction
from engine.sandbox.confinement.syscalls import Machine

_MASKED_EQUAL = 7


class _Argument(ctypes.Structure):
    _fields_ = [
        ("argument", ctypes.c_uint),
        ("operation", ctypes.c_int),
        ("mask", ctypes.c_uint64),
        ("value", ctypes.c_uint64),
    ]


def library() -> ctypes.CDLL:
    """The library, or a skip that says what to install."""
    found = ctypes.util.find_library("seccomp") or "libseccomp.so.2"
    try:
        loaded = ctypes.CDLL(found)
    except OSError:
        pytest.skip("libseccomp is not installed (Debian: libseccomp2); the other tests judge the filter by themselves")
    loaded.seccomp_init.restype = ctypes.c_void_p
    loaded.seccomp_arch_native.restype = ctypes.c_uint32
    return loaded


def number(name: str, machine: Machine) -> int:
    """The call's number, negative where the machine has none."""
    found: int = library().seccomp_syscall_resolve_name_arch(ctypes.c_uint32(machine.audit), name.encode())
    return found


def compile_filter(
    machine: Machine, allowed: Sequence[Allow], killed: Iterable[str], otherwise: int
) -> list[Instruction]:
    """The same policy, compiled by libseccomp. Conditions that list several values become several rules."""
    seccomp = library()
    context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(otherwise)))
    try:
        native = seccomp.seccomp_arch_native()
        if native != machine.audit:
            _succeeds(seccomp.seccomp_arch_add(context, ctypes.c_uint32(machine.audit)), "arch_add")
            _succeeds(seccomp.seccomp_arch_remove(context, ctypes.c_uint32(0)), "arch_remove")
        for rule in allowed:
            if rule.call in machine.numbers:
                for arguments in _expanded(rule):
                    array = (_Argument * max(1, len(arguments)))(*arguments)
                    code = seccomp.seccomp_rule_add_array(
                        context,
                        ctypes.c_uint32(ALLOW),
                        machine.numbers[rule.call] if native == machine.audit else _native(seccomp, rule.call),
                        len(arguments),
                        array,
                    )
                    _succeeds(code, rule.call)
        for call in killed:
            if call in machine.numbers:
                translated = machine.numbers[call] if native == machine.audit else _native(seccomp, call)
                _succeeds(
                    seccomp.seccomp_rule_add_array(context, ctypes.c_uint32(KILL_PROCESS), translated, 0, None), call
                )
        with tempfile.TemporaryFile() as file:
            _succeeds(seccomp.seccomp_export_bpf(context, file.fileno()), "export_bpf")
            file.seek(0)
            return disassemble(file.read())
    finally:
        seccomp.seccomp_release(context)


def disassemble(code: bytes) -> list[Instruction]:
    """From the kernel's bytes back to instructions."""
    return [
        Instruction(
            int.from_bytes(code[at : at + 2], "little"),
            int.from_bytes(code[at + 4 : at + 8], "little"),
            code[at + 2],
            code[at + 3],
        )
        for at in range(0, len(code), 8)
    ]


def _expanded(rule: Allow) -> list[list[_Argument]]:
    alternatives: list[list[_Argument]] = []
    for conditions in rule.when or ((),):
        variants: list[list[_Argument]] = [[]]
        for condition in conditions:
            upper = 0xFFFFFFFF << 32 if condition.upper == "zero" else 0
            variants = [
                [*variant, _Argument(condition.argument, _MASKED_EQUAL, condition.mask | upper, value)]
                for variant in variants
                for value in condition.values
            ]
        alternatives += variants
    return alternatives


def _native(seccomp: ctypes.CDLL, call: str) -> int:
    """libseccomp translates from the native number."""
    found: int = seccomp.seccomp_syscall_resolve_name(call.encode())
    return found


def _succeeds(code: int, what: str) -> None:
    if code < 0:
        raise OSError(-code, f"libseccomp {what}: {os.strerror(-code)}")
