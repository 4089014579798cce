"""An equation of einsum that its tensors don't fit: which letter, which part, and the lengths that meet in it."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from engine.trace.diagnosis.answer import Answer, Found
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.marks import code
from engine.trace.narration.amounts import listed

SIZE = "shape_mismatch"


@dataclass(frozen=True)
class Equation:
    """``ij,jk->ik`` in its parts."""

    parts: list[str]
    output: str | None
    """None where there is no arrow."""

    @property
    def text(self) -> str:
        """As it is written, without spaces."""
        return ",".join(self.parts) + ("" if self.output is None else f"->{self.output}")

    def fits(self, shapes: list[list[int]]) -> bool:
        """Whether every letter stands for one length, and every part has as many letters as its tensor has dimensions."""
        lengths: dict[str, int] = {}
        for part, shape in zip(self.parts, shapes, strict=False):
            letters = part.removeprefix("...")
            if len(letters) > len(shape) or (letters == part and len(letters) != len(shape)):
                return False
            for letter, length in zip(letters, shape[len(shape) - len(letters) :], strict=True):
                if lengths.setdefault(letter, length) != length and 1 not in (length, lengths[letter]):
                    return False
        return len(self.parts) == len(shapes)


def equation_of(call: Call) -> Equation | None:
    """The equation as it was given."""
    given = call.given("0", "equation")
    if given is None or given.type != "str" or "." in given.text.replace("...", ""):
        return None
    inputs, arrow, output = given.text.strip("'\"").replace(" ", "").partition("->")
    return Equation(inputs.split(","), output if arrow else None)


def equation(call: Call) -> Found:
    """The explanation of whichever part does not fit."""
    written = equation_of(call)
    if written is None or not call.message.startswith("einsum()"):
        return None
    if "operands were provided" in call.message:
        return None, uncounted(call, written)
    output = re.search(r"output subscript (\w)", call.message)
    if output is not None and written.output is not None:
        return None, from_nowhere(call, written, output[1])
    rank = re.search(r"number of subscripts in the equation \((\d+)\).*for operand (\d+)", call.message)
    length = re.search(r"subscript (\w) has size \d+ for operand (\d+)", call.message)
    if len(call.tensors) != len(written.parts):
        return None
    if rank is not None:
        return too_few_letters(call, written, int(rank[2]))
    return two_lengths(call, written, length[1], int(length[2])) if length is not None else None


def rewritten(call: Call, written: Equation) -> str | None:
    """The call with another equation."""
    argument = call.arguments[0] if call.arguments else None
    return call.replaced(argument, f'"{written.text}"') if argument is not None else None


def uncounted(call: Call, written: Equation) -> Answer:
    """More or fewer tensors than parts."""
    parts = listed([code(part) for part in written.parts])
    text = f"{code(written.text)} has {len(written.parts)} parts before its arrow, {parts}, and is given {len(call.tensors)} tensors."
    if len(call.tensors) == 1:
        text = text.replace("1 tensors", "1 tensor")
    return call.answer("error", text, "Give as many tensors as the equation has parts, in their order.")


def from_nowhere(call: Call, written: Equation, letter: str) -> Answer:
    """A letter of the result that no tensor has."""
    text = (
        f"{code(letter)} stands behind the arrow of {code(written.text)} and in none of its parts before it: no tensor has "
        "such a dimension."
    )
    letters = "".join(written.parts)
    alone = [one for one in dict.fromkeys(letters) if letters.count(one) == 1 and one not in (written.output or "")]
    better = Equation(written.parts, (written.output or "").replace(letter, alone[0])) if len(alone) == 1 else None
    fix = rewritten(call, better) if better is not None else None
    return call.answer(
        "error", text, fix, f"Name the dimensions of the result by letters of {code(','.join(written.parts))}."
    )


def too_few_letters(call: Call, written: Equation, operand: int) -> Found:
    """A part with another number of letters than its tensor has dimensions."""
    tensor, part = call.tensors[operand], written.parts[operand]
    text = f"{call.told(tensor)}: it has {len(call.shape(tensor))} dimensions, and {code(part)} in {code(written.text)} names {len(part)}."
    parts = [f"...{p}" if at == operand else p for at, p in enumerate(written.parts)]
    better = Equation(parts, None if written.output is None else f"...{written.output}")
    more = len(call.shape(tensor)) > len(part) and better.fits([call.shape(t) for t in call.tensors])
    fix = rewritten(call, better) if more else None
    return tensor, call.answer(SIZE, text, fix, "Give each dimension a letter of its own.")


def two_lengths(call: Call, written: Equation, letter: str, operand: int) -> Found:
    """One letter for two lengths."""
    later = call.tensors[operand]
    first = next((at for at, part in enumerate(written.parts[:operand]) if letter in part), None)
    if first is None or "." in written.text:
        return None
    places = [written.parts[at].index(letter) for at in (first, operand)]
    earlier = call.tensors[first]
    lengths = call.shape(earlier)[places[0]], call.shape(later)[places[1]]
    text = (
        f"{call.told(earlier)}, and {call.told(later)}. In {code(written.text)} {code(letter)} is dimension {places[0]} of "
        f"{call.name(earlier)} and dimension {places[1]} of {call.name(later)}: {lengths[0]} against {lengths[1]}, and a "
        "letter means one length."
    )
    orders = (
        set(map("".join, itertools.permutations(written.parts[operand]))) if len(written.parts[operand]) < 5 else set()
    )
    equations = (
        Equation([o if at == operand else p for at, p in enumerate(written.parts)], written.output) for o in orders
    )
    turned = [equation for equation in equations if equation.fits([call.shape(t) for t in call.tensors])]
    return later, call.answer(
        SIZE, text, rewritten(call, turned[0]) if len(turned) == 1 else None, "Give each length a letter of its own."
    )
