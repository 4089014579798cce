"""The whole derivative of a leaf in symbols: ∂d/∂a = 1 + b = 1 + 4 = 5.

Grows with the pass: each node's incoming gradient is a formula, each message the node's derivative with that formula
in. Only passes over single numbers are told so, and only formulas short enough to read; each is evaluated with the
trace's own numbers and dropped unless it gives the gradient that the engine computed.
"""

from __future__ import annotations

import math

from engine.trace import events
from engine.trace import formula as formulas
from engine.trace.agreement import NEAR_ZERO
from engine.trace.elements import single
from engine.trace.narration.symbols import with_names, with_numbers
from engine.trace.narration.telling import Reader
from engine.trace.parts import Formula, Value

LONGEST = 9
"""Most symbols of a formula that is shown."""
ONE = formulas.number("1")


class Calculus:
    """The formulas of one pass, by (node, output)."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.symbols: dict[tuple[int, int], Formula | None] = {}
        self.numbers: dict[tuple[int, int], Formula | None] = {}

    def hear(self, step: events.Step) -> None:
        """Follows seeds and messages."""
        match step:
            case events.BackwardStarted(roots=roots, seeds=seeds):
                self.symbols.clear()
                self.numbers.clear()
                for root, seed in zip(roots, seeds, strict=False):
                    place = self.reader.state.receiver(root)
                    if place is not None and not seed.shape:
                        self.symbols[place] = self.numbers[place] = formulas.number(seed.text)
            case events.MessageSent(node=node, slot=slot, to=to, input_nr=input_nr):
                ran = self.reader.state.ran.get(node)
                incoming = ran.gradients[0] if ran is not None and len(ran.gradients) == 1 else None
                symbol, number = self.symbols.get((node, 0)), self.numbers.get((node, 0))
                sent = with_names(self.reader, node, slot, symbol) if symbol is not None else None
                counted = with_numbers(self.reader, node, slot, incoming, step.value).formula if number else None
                self._add((to, input_nr), simplified(sent), counted, step.value)

    def _add(self, place: tuple[int, int], symbol: Formula | None, number: Formula | None, value: Value | None) -> None:
        if symbol is None or number is None or value is None or value.shape or formulas.leaves(symbol) > LONGEST:
            self.symbols[place] = self.numbers[place] = None
            return
        told = formulas.number(value.text)
        if place in self.symbols:
            waiting, counted = self.symbols[place], self.numbers[place]
            if waiting is None or counted is None:
                return
            self.symbols[place] = formulas.operator("+", *summands(waiting), symbol)
            self.numbers[place] = formulas.operator("+", *summands(counted), told)
        else:
            self.symbols[place], self.numbers[place] = symbol, told

    def of(self, tensor: int, node: int | None, value: Value) -> Formula | None:
        """∂root/∂tensor as a chain: symbols, numbers, result; None where it cannot be told or does not hold."""
        place = (node, 0) if node is not None else None
        symbol = self.symbols.get(place) if place is not None else None
        number = self.numbers.get(place) if place is not None else None
        if symbol is None or number is None or formulas.leaves(symbol) > LONGEST or not self._holds(symbol, value):
            return None
        if self.reader.names.bearer(tensor) != tensor:
            return None  # its name means another tensor by now, and one symbol would stand for both
        parts = [symbol, number, formulas.number(value.text)]
        unique = [part for index, part in enumerate(parts) if index == 0 or part != parts[index - 1]]
        if len(unique) < 2:
            return None
        return formulas.equals(formulas.partial(self.reader.root(), self.reader.symbol(tensor)), *unique)

    def _holds(self, symbol: Formula, value: Value) -> bool:
        expected = single(value)
        if expected is None:
            return False
        try:
            return math.isclose(formulas.evaluate(symbol, self.values()), expected, rel_tol=1e-4, abs_tol=NEAR_ZERO)
        except (ValueError, OverflowError, ZeroDivisionError):
            return False

    def values(self) -> dict[str, float]:
        """The number that each name stands for; a name that two tensors share stands for the newer."""
        state, found = self.reader.state, {}
        for tensor, value in state.values.items():
            if (element := single(value)) is not None:
                found[formulas.name(self.reader.symbol(tensor)).text] = element
        return found


def summands(formula: Formula) -> list[Formula]:
    """The terms of a sum."""
    return formula.parts if formula.kind == "operator" and formula.text == "+" else [formula]


def simplified(formula: Formula | None) -> Formula | None:
    """Without factors of one, at any depth."""
    if formula is None or not formula.parts:
        return formula
    parts = [simplified(part) or part for part in formula.parts]
    if formula.kind == "operator" and formula.text == "·":
        factors = [part for part in parts if part != ONE]
        if not factors:
            return ONE
        if len(factors) == 1:
            return factors[0].parts[0] if factors[0].kind == "group" else factors[0]
        return Formula("operator", "·", factors)
    if formula.kind == "group" and formulas.strength(parts[0]) == formulas.ATOM:
        return parts[0]
    return Formula(formula.kind, formula.text, parts)
