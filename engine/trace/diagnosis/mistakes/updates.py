"""Gradients between two updates: stale ones that are used again, and new ones that are thrown away unused."""

from __future__ import annotations

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import clearing, only_named
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.watcher import Watcher
from engine.trace.elements import is_zero
from engine.trace.marks import code
from engine.trace.narration.amounts import shown
from engine.trace.parts import Value
from engine.trace.state import State


class Updates(Watcher):
    """Follows each gradient from the pass that fills it to the update that uses it and the call that clears it."""

    hears = (
        events.ValueWritten,
        events.OptimizerStepped,
        events.GradientsZeroed,
        events.GradientStored,
        events.GradientSet,
    )

    def __init__(self, history: History) -> None:
        super().__init__(history)
        self.updated: dict[int, int] = {}
        """Tensors whose value was updated after gradients came, with the step; cleared when the gradient is."""
        self.stale: dict[int, Answer] = {}
        """Sums of old and new gradients that no update has used yet: harmless when they are cleared first (GANs)."""
        self.fresh: set[int] = set()
        """Tensors with a gradient that no update has used yet."""
        self.uncalled = only_named(history, "zero_grad")
        """Where zero_grad stands without its parentheses."""
        self.lost: dict[int, int] = {}
        """Tensors whose fresh gradient was cleared, with the step."""
        self.passes: dict[int, int] = {}
        """How many passes have filled each tensor since its last update …"""
        self.added_up: dict[int, int] = {}
        """… and how many had before that update."""

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """The tensor concerned and the answer, where something should be said."""
        match step:
            case events.ValueWritten(tensor=tensor) if self.history.trace.tensors[tensor].gradient_of is not None:
                if is_zero(step.value):
                    self._clear(state, [self.history.trace.tensors[tensor].gradient_of or 0])
            case events.ValueWritten(tensor=tensor, shared_with=shared) if step.node is None:
                changed = [other for other in (tensor, *shared) if state.grads.get(other) is not None]
                return self._update(state, changed) if changed else None
            case events.OptimizerStepped(changes=changes):
                moved = [change.tensor for change in changes if change.gradient and not is_zero(change.gradient)]
                if not moved and self.lost and self.history.passes[0].start < self.history.steps[0][0]:
                    return self._thrown_away(state, step)
                return self._update(state, [change.tensor for change in changes if change.gradient is not None])
            case events.GradientsZeroed(tensors=tensors):
                self._clear(state, tensors)
            case events.GradientSet(tensor=tensor):
                self.fresh.add(tensor)
                for known in (self.lost, self.stale, self.updated):
                    known.pop(tensor, None)
            case events.GradientStored(tensor=tensor, retained=False):
                self.fresh.add(tensor)
                self.passes[tensor] = self.passes.get(tensor, 0) + 1
                self.lost.pop(tensor, None)
                old = step.old
                if old is not None and tensor in self.updated and tensor not in self.stale and not is_zero(old):
                    self.stale[tensor] = self._stale(state, step, old)
            case _:
                pass
        return None

    def _clear(self, state: State, tensors: list[int]) -> None:
        for tensor in tensors:
            self.updated.pop(tensor, None)
            self.stale.pop(tensor, None)
            if tensor in self.fresh:
                self.fresh.remove(tensor)
                self.lost[tensor] = state.step

    def _update(self, state: State, tensors: list[int]) -> tuple[int, Answer] | None:
        """Tensors are changed by their gradients; the first of them whose gradient was stale."""
        for tensor in tensors:
            self.updated[tensor] = state.step
            self.added_up[tensor] = self.passes.pop(tensor, 0)
            self.fresh.discard(tensor)
        used = [tensor for tensor in tensors if tensor in self.stale]
        return (used[0], self.stale[used[0]]) if used else None

    def _stale(self, state: State, step: events.GradientStored, old: Value) -> Answer:
        label = self.history.label(step.tensor)
        update = self.history.line_of(self.updated[step.tensor])
        short = "numbers from" not in shown(old)
        if self.uncalled is not None:
            owner, span = self.uncalled
            return Answer(
                "stale_gradient",
                f"{code(f'{owner}.zero_grad')} on line {span.line} only names the method: without parentheses nothing is "
                f"cleared, so {label}.grad still held the gradient from before the update on {update} and the new one was "
                "added to it.",
                f"Write `{owner}.zero_grad()`.",
                state.step,
                span,
            )
        return Answer(
            "stale_gradient",
            f"{label}.grad still held {f'{shown(old)} ' if short else 'the gradient '}from before the update on {update}; "
            f"the new one{f', {shown(step.incoming)},' if short else ''} was added to it"
            f"{f': {shown(step.new)}' if short else ', so the next step used their sum'}.",
            f"Clear gradients behind the update on {update}, which passes before it add up for: {clearing(self.history, step.tensor)}."
            if self.added_up[step.tensor] > 1
            else f"Clear gradients in every turn: {clearing(self.history, step.tensor)} before backward().",
            state.step,
            step.span,
        )

    def _thrown_away(self, state: State, step: events.OptimizerStepped) -> tuple[int, Answer]:
        """An optimizer steps with nothing, because the gradients were cleared after the pass that made them."""
        tensor, cleared = next(iter(self.lost.items()))
        self.lost.clear()
        label, line = self.history.label(tensor), self.history.line_of(cleared)
        adds_up = self.passes.get(tensor, 0) > 1
        empty = "0" if cleared in self.history.to_zeros else "None"
        return tensor, Answer(
            "zeroed",
            f"{step.optimizer} has no gradient to step with: {label}.grad is {empty}, because {line} cleared it after "
            "backward() and before this step, so nothing is learned.",
            f"Clear only when an update has used them: move {line} behind {self.history.line_of(state.step)}."
            if adds_up
            else "Clear before backward() or after the step: zero_grad(), backward(), step(), in this order.",
            state.step,
            self.history.trace.steps[cleared].span,
        )
