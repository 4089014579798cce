"""What a learning rate schedule was planned for, read from the call that makes it: moves, milestones, a rate of decay.

Only what a schedule says of itself is told: one that is meant for batches (`CyclicLR`), or whose rates are any
function of a number (`LambdaLR`), can be moved at either pace.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

from engine.trace.diagnosis.calls import last_part
from engine.trace.diagnosis.flow import called, path

LENGTHS = {
    "CosineAnnealingLR": ("T_max", 1),
    "PolynomialLR": ("total_iters", 1),
    "OneCycleLR": ("total_steps", 2),
    "CosineAnnealingWarmRestarts": ("T_0", 1),
    "LinearLR": ("total_iters", 3),
    "ConstantLR": ("total_iters", 2),
    "StepLR": ("step_size", 1),
}
"""Schedules that are told how many moves something takes: the argument's name and its place."""
WHOLE = frozenset({"CosineAnnealingLR", "PolynomialLR", "OneCycleLR"})
"""Those for which it is the whole training: of the others a number may equal that of the epochs by accident."""
DECAYS = {"StepLR": ("gamma", 2), "MultiStepLR": ("gamma", 2), "ExponentialLR": ("gamma", 1)}
"""Schedules that multiply the rate by one number again and again: the argument's name and its place."""
MILESTONES = ("milestones", 1)
SCHEDULES = frozenset({*LENGTHS, *DECAYS, "ReduceLROnPlateau"})


@dataclass(frozen=True)
class Plan:
    """One schedule as it was made."""

    kind: str
    """The class: ``StepLR``."""
    call: ast.Call

    def given(self, argument: tuple[str, int]) -> ast.expr | None:
        """What was passed for an argument, by its name or at its place."""
        keyword, place = argument
        named = next((k.value for k in self.call.keywords if k.arg == keyword), None)
        return named or (self.call.args[place] if len(self.call.args) > place else None)

    @property
    def length(self) -> ast.expr | None:
        """How many moves it was planned for, as it is written."""
        return self.given(LENGTHS[self.kind]) if self.kind in LENGTHS else None

    @property
    def said(self) -> str:
        """That argument as it is written, with its name: ``T_max=epochs``."""
        per_epoch = self.given(("steps_per_epoch", 99))
        if self.kind == "OneCycleLR" and per_epoch is not None:
            return f"steps_per_epoch={ast.unparse(per_epoch)}"
        return f"{LENGTHS[self.kind][0]}={ast.unparse(self.length)}" if self.length is not None else ""

    def is_in_epochs(self, epochs: str, constants: dict[str, int], count: int) -> bool:
        """Whether its length is a number of epochs: the same words as the loop's, or a part of the number they stand for.

        ``epochs`` is what the loop counts up to, as it is written, and ``count`` how often it turned.
        """
        length = self.length
        if length is None:
            return False
        written, counts = last_part(ast.unparse(length)), last_part(epochs)
        if ast.unparse(length) == epochs or (written == counts and counts.isidentifier()):
            return self.kind in WHOLE or not epochs.isdigit()
        value = number(length, constants)
        return counts in names(length) and value is not None and 1 <= value <= count

    def is_in_batches(self) -> bool:
        """Whether its length counts batches: it asks how many a loader gives."""
        return "len(" in self.said

    def milestones(self, constants: dict[str, int]) -> list[int] | None:
        """Of a MultiStepLR: its milestones, where they can be read."""
        given = self.given(MILESTONES) if self.kind == "MultiStepLR" else None
        if not isinstance(given, ast.List | ast.Tuple) or not given.elts:
            return None
        values = [number(element, constants) for element in given.elts]
        return [int(value) for value in values if value is not None] if None not in values else None

    def falls(self) -> bool:
        """Whether it makes the rate smaller each time, so that moving on too often takes it to nothing."""
        gamma = self.given(DECAYS[self.kind]) if self.kind in DECAYS else None
        if self.kind not in DECAYS:
            return False
        value = 0.1 if gamma is None and self.kind != "ExponentialLR" else None if gamma is None else number(gamma, {})
        return value is not None and 0 < value < 1


def names(expression: ast.expr) -> set[str]:
    """The variables (and last parts of attributes) that an expression mentions."""
    return {last_part(path(node)) for node in ast.walk(expression) if isinstance(node, ast.Name | ast.Attribute)}


def number(expression: ast.expr, constants: dict[str, int]) -> float | None:
    """The value of arithmetic on numbers and known variables; None where there is anything else in it."""
    match expression:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name) if name in constants:
            return constants[name]
        case ast.Call(func=ast.Name(id="int" | "round"), args=[argument], keywords=[]):
            whole = number(argument, constants)
            return None if whole is None else int(whole)
        case ast.BinOp(left=left, op=operation, right=right):
            first, second = number(left, constants), number(right, constants)
            return None if first is None or second is None else computed(first, operation, second)
        case _:
            return None


def computed(first: float, operation: ast.operator, second: float) -> float | None:
    """Two numbers put together."""
    match operation:
        case ast.Add():
            return first + second
        case ast.Sub():
            return first - second
        case ast.Mult():
            return first * second
        case ast.Div() if second:
            return first / second
        case ast.FloorDiv() if second:
            return first // second
        case _:
            return None


def constants_of(tree: ast.Module) -> dict[str, int]:
    """Variables that the snippet binds once, to a whole number."""
    nodes = list(ast.walk(tree))
    stored = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    found: dict[str, int] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int() as value)) if stored[name] == 1:
                found[name] = value
            case _:
                pass
    return found


def counted(loop: ast.For) -> str | None:
    """How many turns a ``for … in range(n)`` (or ``range(1, n + 1)``) has, as it is written."""
    call = loop.iter
    while isinstance(call, ast.Call) and called(call.func) in ("tqdm", "enumerate") and call.args:
        call = call.args[0]
    if not isinstance(call, ast.Call) or called(call.func) not in ("range", "trange") or not call.args:
        return None
    first, last = ast.unparse(call.args[0]), ast.unparse(call.args[-1])
    return last.removesuffix(" + 1") if len(call.args) == 2 and first == "1" else last
