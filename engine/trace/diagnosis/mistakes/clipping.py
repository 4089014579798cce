"""Gradients that are clipped where it changes nothing: after the step that used them, or before the pass that makes them."""

from __future__ import annotations

import ast

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import calls_of
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.watcher import Watcher
from engine.trace.elements import is_zero
from engine.trace.parts import Span, Value
from engine.trace.state import State

CLIPS = frozenset({"clip_grad_norm_", "clip_grad_norm", "clip_grad_value_", "clip_grads_with_norm_"})
"""Functions that clip the gradients of parameters."""
BY_HAND = frozenset({"clamp_", "clip_"})
"""Operators that clip one gradient in place."""


class Clipping(Watcher):
    """Follows each gradient from the pass that fills it to the update that uses it, and each clip between or beside them."""

    hears = (
        events.Line,
        events.ValueWritten,
        events.GradientsClipped,
        events.OptimizerStepped,
        events.GradientsZeroed,
        events.GradientStored,
        events.GradientSet,
        events.StepsLeftOut,
        events.Ended,
    )

    def __init__(self, history: History) -> None:
        super().__init__(history)
        self.calls: dict[tuple[int, int], tuple[Span, bool]] = {}
        """By where its statement begins: a clip's columns, and whether what it returns is thrown away."""
        for statement, call in calls_of(history, CLIPS):
            place = history.source.span(statement)
            self.calls[place.line, place.column] = (history.source.span(call), isinstance(statement, ast.Expr))
        self.held: dict[int, Value] = {}
        """Gradients as they were before a clip."""
        self.used: dict[int, int] = {}
        """Tensors whose gradient an update has used, with the step of the update."""
        self.late: dict[int, Answer] = {}
        """Tensors whose gradient was clipped after that."""
        self.early: tuple[int, Span] | None = None
        """A clip that found no gradients, with its step."""

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """The tensor concerned and the answer, once it is sure that nothing uses what was clipped."""
        match step:
            case events.Line(span=Span(line=line, column=column)) if (line, column) in self.calls:
                if all(value is None or is_zero(value) for value in state.grads.values()):
                    self.early = (state.step, self.calls[line, column][0])
            case events.ValueWritten(tensor=tensor):
                owner = self.history.trace.tensors[tensor].gradient_of
                if owner is not None:
                    self._changed(state, owner, step, step.value)
            case events.GradientsClipped(tensors=tensors):  # what it leaves alone is not written to
                for owner in tensors:
                    self._changed(state, owner, step, self.held.get(owner))
            case events.GradientStored(tensor=tensor, new=value) | events.GradientSet(tensor=tensor, value=value):
                self.held[tensor] = value
                self._forget([tensor])
            case events.OptimizerStepped(changes=changes):
                changed = [change.tensor for change in changes if change.gradient is not None]
                self._forget(changed)
                self.used.update(dict.fromkeys(changed, state.step))
                if changed and self.early is not None:
                    return self._too_early(changed[0], state.step)
            case events.GradientsZeroed(tensors=tensors):
                return self._over(tensors)
            case events.StepsLeftOut():
                for known in (self.held, self.used, self.late):
                    known.clear()
                self.early = None
            case events.Ended():
                return self._over(list(self.late))
            case _:
                pass
        return None

    def _changed(
        self, state: State, owner: int, step: events.ValueWritten | events.GradientsClipped, now: Value | None
    ) -> None:
        """A gradient was or may be changed in place: by a clip, where the source says so."""
        before = self.held.get(owner)
        if now is not None:
            self.held[owner] = now
        line = step.span.line if step.span is not None else 0
        at = next(((span, alone) for span, alone in self.calls.values() if span.line <= line <= span.end_line), None)
        if at is None and getattr(step, "operator", "") in BY_HAND and step.span is not None:
            at = (step.span, True)
        if at is None:
            return
        if owner not in self.used:
            self.early = None
        elif (
            at[1]
            or before is None
            or now is None
            or (before.data, before.low, before.high) != (now.data, now.low, now.high)
        ):
            self.late.setdefault(owner, self._too_late(state.step, at[0], owner))

    def _forget(self, tensors: list[int]) -> None:
        """These gradients are new, or an update has used them as they are."""
        for tensor in tensors:
            self.used.pop(tensor, None)
            self.late.pop(tensor, None)

    def _over(self, tensors: list[int]) -> tuple[int, Answer] | None:
        """Gradients are cleared, or the run is over: what was clipped too late is used by nobody."""
        found = next(((tensor, self.late[tensor]) for tensor in tensors if tensor in self.late), None)
        self._forget(tensors)
        return found

    def _too_late(self, step: int, span: Span, owner: int) -> Answer:
        history = self.history
        return Answer(
            "clipped_late",
            f"{history.quoted(span)} on line {span.line} comes after the update on {history.line_of(self.used[owner])}, "
            "which used the gradients as they were: what is clipped here, nothing uses.",
            "Clip between backward() and step().",
            step,
            span,
        )

    def _too_early(self, tensor: int, updated: int) -> tuple[int, Answer] | None:
        assert self.early is not None
        at, span = self.early
        self.early = None
        history = self.history
        task = next((task for task in reversed(history.passes) if at < task.start < updated), None)
        if task is None:
            return None
        return tensor, Answer(
            "clipped_late",
            f"{history.quoted(span)} on line {span.line} finds no gradients: the backward pass on "
            f"{history.line_of(task.start)} comes after it, and the update on {history.line_of(updated)} uses what that "
            "pass made, unclipped.",
            "Clip between backward() and step().",
            at,
            span,
        )
