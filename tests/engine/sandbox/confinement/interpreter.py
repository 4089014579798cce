"""Runs a classic BPF program as the kernel would, for one system call."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Sequence

from engine.sandbox.confinement.bpf import Instruction

_CLASS, _OPERATION = 0x07, 0xF0
_LOAD_ABSOLUTE, _RETURN, _JUMP, _ALU = 0x20, 0x06, 0x05, 0x04
_FLOWS: dict[int, Callable[[int, int], bool]] = {
    0x10: operator.eq,
    0x20: operator.gt,
    0x30: operator.ge,
    0x40: lambda left, right: bool(left & right),
}


def decide(program: Sequence[Instruction], machine: int, number: int, arguments: Sequence[int] = ()) -> int:
    """The program's verdict. Fails on anything the kernel's own checker would refuse."""
    padded = [argument & 0xFFFFFFFFFFFFFFFF for argument in (*arguments, 0, 0, 0, 0, 0, 0)][:6]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, machine, 0, *padded)
    accumulator = 0
    position = 0
    while position < len(program):
        instruction = program[position]
        position += 1
        if instruction.code == _LOAD_ABSOLUTE:
            assert instruction.value % 4 == 0
            (accumulator,) = struct.unpack_from("<I", data, instruction.value)
        elif instruction.code == _RETURN:
            return instruction.value
        elif instruction.code & _CLASS == _ALU and instruction.code & _OPERATION == 0x50:
            accumulator &= instruction.value
        elif instruction.code & _CLASS == _JUMP and instruction.code & _OPERATION == 0:
            position += instruction.value
        elif instruction.code & _CLASS == _JUMP:
            hit = _FLOWS[instruction.code & _OPERATION](accumulator, instruction.value)
            position += instruction.if_true if hit else instruction.if_false
        else:
            raise AssertionError(f"instruction {instruction} is not in this interpreter")
    raise AssertionError("the program ran off its end")
