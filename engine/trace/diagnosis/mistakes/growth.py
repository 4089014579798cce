"""A learning rate that is too high: every update jumps over the minimum, farther each time."""

from __future__ import annotations

import cmath
import dataclasses
import math
from dataclasses import dataclass

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.optimizers import where_made
from engine.trace.diagnosis.mistakes.watcher import Watcher
from engine.trace.elements import largest, sample
from engine.trace.parts import Span, Value
from engine.trace.state import State
from engine.trace.values import number, spelled

JUMPS = 4
"""Updates in a row whose gradient points back and is larger than the one before."""
NOISE = 1e-6
"""Gradients below it may be rounding alone, as that of a bias before batch norm: where they point says nothing."""
GROWN = 10.0
"""How much larger it must have become in them."""


@dataclass(slots=True)
class Run:
    """Growing gradients of one tensor."""

    last: Value
    began: Value
    count: int = 0


class Growth(Watcher):
    """Follows the gradient of every tensor from update to update."""

    hears = (events.OptimizerStepped, events.ValueWritten, events.StepsLeftOut)

    def __init__(self, history: History) -> None:
        super().__init__(history)
        self.runs: dict[int, Run] = {}
        self.values: dict[int, Value] = {}
        """What each tensor that is written to by hand held before."""

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """The tensor and the answer, once its updates have jumped too far too often."""
        match step:
            case events.OptimizerStepped():
                return self._by_optimizer(state, step)
            case events.ValueWritten(node=None):
                return self._by_hand(state, step)
            case events.StepsLeftOut():
                self.runs.clear()
                self.values.clear()
            case _:
                pass
        return None

    def _by_optimizer(self, state: State, step: events.OptimizerStepped) -> tuple[int, Answer] | None:
        for change in step.changes:
            if change.gradient is None or not self._jumps(change.tensor, change.gradient):
                continue
            rate = step.settings.get("lr")
            told = f"lr={rate:g}" if isinstance(rate, float | int) else "learning rate"
            answer = self._answer(state, change.tensor, told, where_made(self.history, step) or step.span)
            plain = step.optimizer == "SGD" and not step.settings.get("momentum")
            if plain and isinstance(rate, float | int):
                answer = dataclasses.replace(answer, fix=self._slower(change.tensor, rate))
            return change.tensor, answer
        return None

    def _by_hand(self, state: State, step: events.ValueWritten) -> tuple[int, Answer] | None:
        for tensor in (step.tensor, *step.shared_with):
            gradient = state.grads.get(tensor)
            moved = None if gradient is not None else self._moved(state, tensor)
            if gradient is not None and self._jumps(tensor, gradient):
                return tensor, self._answer(state, tensor, "step size", step.span)
            if moved is not None and self._jumps(tensor, moved):
                return tensor, self._answer(state, tensor, "step size", step.span, moved=True)
        return None

    def _moved(self, state: State, tensor: int) -> Value | None:
        """By how much a tracked leaf was changed just now, where its gradient is known to its caller only."""
        if not state.is_leaf(tensor) or not state.tracked(tensor):
            return None
        now, before = state.value(tensor), self.values.get(tensor) or self.history.trace.tensors[tensor].value
        if now is None or now.data is None or before is None or before.data is None:
            return None
        self.values[tensor] = now
        if now.shape != before.shape:  # given its size only now (lazy layers), or another tensor's data
            return None
        moved = [complex(a) - complex(b) for a, b in zip(now.data, before.data, strict=True)]
        bad = sum(not cmath.isfinite(element) for element in moved)
        change = [number(element if now.dtype.startswith("complex") else element.real) for element in moved]
        return Value(now.shape, now.dtype, "", change, nonfinite=bad)

    def _jumps(self, tensor: int, gradient: Value) -> bool:
        run = self.runs.get(tensor)
        if (
            run is None
            or largest(run.last) < NOISE
            or not points_back(gradient, run.last)
            or largest(gradient) <= largest(run.last)
        ):
            self.runs[tensor] = Run(gradient, gradient)
            return False
        run.last, run.count = gradient, run.count + 1
        return run.count >= JUMPS and largest(gradient) >= GROWN * largest(run.began)

    def _slower(self, tensor: int, rate: float) -> str:
        """The rate that takes the steepest direction straight to its minimum.

        Along it a step of gradient descent multiplies the gradient by 1 − rate · curvature, which is −growth here.
        """
        run = self.runs[tensor]
        growth = (largest(run.last) / largest(run.began)) ** (1 / run.count)
        return (
            f"Use a smaller learning rate: by this growth `lr={rounded_down(rate / (1 + growth))}` does not overshoot."
        )

    def _answer(self, state: State, tensor: int, rate: str, span: Span | None, moved: bool = False) -> Answer:
        run, label = self.runs[tensor], self.history.label(tensor)
        first, last = spelled(largest(run.began), 3), spelled(largest(run.last), 3)
        grows = (
            f"{label} is moved back and forth, farther each time: by {first} at first and by {last} {run.count} updates later."
            if moved
            else f"The gradient of {label} turns round at every update and grows: {first} became {last} in {run.count} updates."
        )
        return Answer(
            "exploding",
            f"{grows} With this {rate} every update jumps over the minimum, farther than the one before.",
            "Use a smaller learning rate, a tenth for a start.",
            state.step,
            span,
        )


def rounded_down(rate: float) -> str:
    """A rate with one digit, no larger than it is: ``0.0004``."""
    size = 10.0 ** math.floor(math.log10(rate))
    return f"{math.floor(rate / size + 1e-9) * size:.1g}"


def points_back(gradient: Value, before: Value) -> bool:
    """Whether two gradients in a row point in opposite directions, of large ones in the elements that were kept.

    Not known of gradients whose elements were not kept, once the budget of a trace's numbers is spent.
    """
    if gradient.nonfinite or before.nonfinite or gradient.shape != before.shape:
        return False
    here, there = sample(gradient), sample(before)
    if len(here) != len(there):
        return False
    return math.fsum((complex(a) * complex(b).conjugate()).real for a, b in zip(here, there, strict=True)) < 0
