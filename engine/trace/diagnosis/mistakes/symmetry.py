"""Units of a hidden layer that start alike and stay alike: equal weights get equal gradients, update after update."""

from __future__ import annotations

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.watcher import Watcher
from engine.trace.elements import is_zero
from engine.trace.narration.amounts import number_word
from engine.trace.parts import Span, Value
from engine.trace.state import State

PASSES = 3
"""Passes in a row, with updates between, in which all units must be alike."""
PRODUCTS = frozenset({"addmm", "mm", "matmul"})


class Symmetry(Watcher):
    """Compares, at the end of each pass, the units of every hidden layer."""

    hears = (events.BackwardEnded, events.OptimizerStepped, events.ValueWritten, events.StepsLeftOut)

    def __init__(self, history: History) -> None:
        super().__init__(history)
        self.alike: dict[int, int] = {}
        """For each weight: passes in a row in which all its units were alike, each after an update."""
        self.updated: set[int] = set()
        """Weights that were written to since the last pass."""

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """The weight and the answer, once its units have been alike often enough."""
        match step:
            case events.OptimizerStepped(changes=changes):
                self.updated.update(change.tensor for change in changes)
            case events.ValueWritten(tensor=tensor, shared_with=shared):
                self.updated.update((tensor, *shared))
            case events.BackwardEnded(reached=reached):
                for weight in reached:
                    if self._counts(state, weight) >= PASSES:
                        return weight, self._answer(state, weight)
                self.updated.clear()
            case events.StepsLeftOut():
                self.alike.clear()
                self.updated.clear()
            case _:
                pass
        return None

    def _counts(self, state: State, weight: int) -> int:
        """How many passes in a row the units of a weight have been alike, this one included."""
        row, value, gradient = self.history.trace.tensors[weight], state.value(weight), state.grads.get(weight)
        if len(row.shape) != 2 or value is None or gradient is None:
            return 0
        units = self._units(weight)
        if units is None or not (equal_units(value, units) and equal_units(gradient, units)):
            self.alike[weight] = 0
        elif weight in self.updated or weight not in self.alike:
            self.alike[weight] = self.alike.get(weight, 0) + 1
        return self.alike[weight]

    def _units(self, weight: int) -> int | None:
        """The dimension that counts a hidden layer's units: 0 for a weight that is transposed first; None for other leaves."""
        history = self.history
        for user in reversed(history.users[weight]):
            event = history.event.get(user)
            if event is None:
                continue
            turned = event.operator == "t"
            product = (
                next((history.event[u] for u in history.users[user] if u in history.event), None) if turned else event
            )
            if (
                product is None
                or product.operator not in PRODUCTS
                or product.inputs[-1] != (user if turned else weight)
            ):
                continue
            later = history.recorded_descendants(product.tensor)[1:]
            hidden = any(history.event[u].operator in PRODUCTS for u in later if u in history.event)
            return int(not turned) if hidden else None  # as it was used last
        return None

    def _answer(self, state: State, weight: int) -> Answer:
        history = self.history
        units, shape = self._units(weight) or 0, history.trace.tensors[weight].shape
        at, span = self._started(weight)
        gradient = state.grads.get(weight)
        still = gradient is not None and is_zero(gradient)
        get = "gradients of 0" if still else "equal gradients"
        return Answer(
            "symmetric",
            f"The {number_word(shape[units])} units of {history.label(weight)} have equal weights since "
            f"{history.line_of(at)} and get {get} in every pass, so they stay equal: together they do no more than one unit.",
            "Start with random weights: leave PyTorch's own start, or use `nn.init.xavier_uniform_`.",
            state.step,
            span,
        )

    def _started(self, weight: int) -> tuple[int, Span | None]:
        """What set the weight's first values: the last write before the first pass, else what made it."""
        history = self.history
        begun = history.passes[0].start
        writes = [(index, write.span) for index, write in history.written[weight] if index < begun]
        return writes[-1] if writes else (history.made[weight], history.trace.tensors[weight].span)


def equal_units(value: Value, dimension: int) -> bool:
    """Whether a matrix has two units or more along a dimension, all known and all the same."""
    units, other = value.shape[dimension], value.shape[1 - dimension]
    if units < 2:
        return False
    if value.data is None:
        return value.low is not None and value.low == value.high
    rows = value.data
    if dimension == 0:
        return all(rows[i * other : (i + 1) * other] == rows[:other] for i in range(units))
    return all(len(set(rows[i * units : (i + 1) * units])) == 1 for i in range(other))
