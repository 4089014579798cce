"""What goes wrong in training without an error: stale gradients, parameters left out, shapes that meet by accident."""

from __future__ import annotations

import math
from collections import defaultdict

from engine.trace import events
from engine.trace.diagnosis.departures import Answer
from engine.trace.diagnosis.history import History
from engine.trace.marks import code
from engine.trace.narration.telling import listed, shown
from engine.trace.parts import Span, Value
from engine.trace.state import State, is_zero

DEAD_PASSES = 3
"""Passes in which a relu must let nothing through before it is called dead."""
SHRINK = 1e-5
"""Ratio of the first layer's largest gradient to the last layer's that is called vanishing (its inverse: exploding)."""
LAYERS = 4
"""Parameters of two or more dimensions that make a chain worth judging so."""


class Training:
    """Listens to the replay; `hear` gives the tensor concerned and the answer where something should be said."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.updated: dict[int, int] = {}
        """Tensors whose value was updated after gradients came, with the step; cleared when the gradient is."""
        self.stale: dict[int, Answer] = {}
        """Sums of old and new gradients that no update has used yet: harmless when they are cleared first (GANs)."""
        self.told: set[tuple[str, object]] = set()
        self.blocked: dict[Span | None, list[int]] = defaultdict(list)
        """For each relu in the source: the passes in which it passed on nothing."""
        self.evaluating: dict[str, int] = {}
        """Modules put into evaluation mode after a training step, and when."""
        self.stepped = False

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """The answer for what happens at this step, each kind once per place."""
        found = self._found(state, step)
        if found is None:
            return None
        tensor, answer = found
        key = (answer.cause, answer.span or tensor)
        if key in self.told:
            return None
        self.told.add(key)
        return found

    def _found(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        match step:
            case events.ValueWritten(tensor=tensor) if self.history.trace.tensors[tensor].gradient_of is not None:
                owner = self.history.trace.tensors[tensor].gradient_of or 0
                if is_zero(step.value):
                    self.updated.pop(owner, None)
                    self.stale.pop(owner, None)
            case events.ValueWritten(tensor=tensor) if state.grads.get(tensor) is not None and not step.node:
                return self._updated(state, [tensor])
            case events.OptimizerStepped(changes=changes):
                self.stepped = True
                used = self._updated(state, [change.tensor for change in changes if change.gradient is not None])
                return used or self._evaluating(state, step)
            case events.GradientsZeroed(tensors=tensors):
                for tensor in tensors:
                    self.updated.pop(tensor, None)
                    self.stale.pop(tensor, None)
            case events.GradientStored(tensor=tensor, old=Value() as old, retained=False) if tensor in self.updated:
                if tensor not in self.stale and any(element != 0 for element in old.data or [1]):
                    self.stale[tensor] = self._stale(state, step, old)
            case events.TensorMade():
                return self._broadcast(step)
            case events.MessageSent():
                return self._relu(state, step)
            case events.ModeChanged(mode="training", enabled=enabled, module=module):
                if enabled:
                    self.evaluating.clear()
                elif self.stepped:
                    self.evaluating[module] = state.step
            case events.BackwardEnded():
                return self._layers(state)
            case _:
                pass
        return None

    def _updated(self, state: State, tensors: list[int]) -> tuple[int, Answer] | None:
        """Tensors are changed by their gradients; the first of them whose gradient was stale."""
        for tensor in tensors:
            self.updated[tensor] = state.step
        used = [tensor for tensor in tensors if tensor in self.stale]
        return (used[0], self.stale[used[0]]) if used else None

    def _stale(self, state: State, step: events.GradientStored, old: Value) -> Answer:
        label = self.history.label(step.tensor)
        update = self.history.line_of(self.updated[step.tensor])
        return Answer(
            "stale_gradient",
            f"{label}.grad still held {shown(old)} from before the update on {update}; the new gradient "
            f"{shown(step.incoming)} was added to it: {shown(step.new)}.",
            f"Clear gradients in every turn: optimizer.zero_grad() (or {label}.grad = None) before backward().",
            state.step,
            step.span,
        )

    def _broadcast(self, step: events.TensorMade) -> tuple[int, Answer] | None:
        """A column minus a row of the same length."""
        if (
            step.operator not in ("sub", "rsub", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
            or len(step.inputs) != 2
        ):
            return None
        rows = self.history.trace.tensors
        left, right = (rows[tensor].shape for tensor in step.inputs)
        column, row = (left, right) if len(left) == 2 else (right, left)
        if (
            len(column) != 2
            or len(row) != 1
            or column[1] != 1
            or column[0] != row[0]
            or row[0] < 2
            or not step.requires_grad
        ):
            return None
        names = [self.history.label(tensor) for tensor in step.inputs]
        return step.tensor, Answer(
            "broadcast_surprise",
            f"{names[0]} has shape {left} and {names[1]} has shape {right}: together they make {[row[0], row[0]]}, "
            "every pair of elements instead of element by element.",
            "Bring both to one shape: .squeeze(1) on the column, or .unsqueeze(1) on the row.",
            self.history.made[step.tensor],
            step.span,
        )

    def _relu(self, state: State, step: events.MessageSent) -> tuple[int, Answer] | None:
        row = self.history.trace.nodes[step.node]
        if row.operator not in ("relu", "threshold", "clamp_min") or step.value is None or not row.outputs:
            return None
        ran = state.ran.get(step.node)
        came = ran is not None and any(v is not None and any(x != 0 for x in v.data or [1]) for v in ran.gradients)
        if not came or step.value.data is None or any(element != 0 for element in step.value.data):
            return None
        passes = self.blocked[row.span]
        if step.call not in passes:
            passes.append(step.call)
        if len(passes) < DEAD_PASSES:
            return None
        tensor = row.outputs[0]
        return tensor, Answer(
            "dead_relu",
            f"{self.history.quoted(row.span)} has let no gradient through in {len(passes)} passes: its inputs are all "
            "negative, so what lies before it stops learning.",
            "Use a smaller learning rate or another start, or a leaky_relu, which is never flat.",
            state.step,
            row.span,
        )

    def _evaluating(self, state: State, step: events.OptimizerStepped) -> tuple[int, Answer] | None:
        """Steps after eval() that no train() took back, in a program that had trained before."""
        if not self.evaluating or not step.changes:
            return None
        module, since = next(iter(self.evaluating.items()))
        return step.changes[0].tensor, Answer(
            "eval_mode",
            f"{code(module.partition(' (')[0]) or 'The model'} is in evaluation mode since "
            f"{self.history.line_of(since)}, and training goes on: "
            "dropout is off and batch norm uses its stored statistics.",
            "Call model.train() after evaluating.",
            state.step,
            step.span,
        )

    def _layers(self, state: State) -> tuple[int, Answer] | None:
        """The largest gradient of the first weight against the last."""
        rows = self.history.trace.tensors
        weights = [
            tensor
            for tensor, value in state.grads.items()
            if value is not None and rows[tensor].role == "parameter" and len(rows[tensor].shape) > 1
        ]
        if len(weights) < LAYERS:
            return None
        first, last = min(weights), max(weights)
        sizes = [largest(state.grads[tensor]) for tensor in (first, last)]
        if not all(sizes) or not all(map(math.isfinite, sizes)):
            return None
        ratio = sizes[0] / sizes[1]
        if SHRINK <= ratio <= 1 / SHRINK:
            return None
        cause, verb = ("vanishing", "shrinks") if ratio < 1 else ("exploding", "grows")
        return first, Answer(
            cause,
            f"The gradient {verb} from {sizes[1]:.2g} at {self.history.label(last)} to {sizes[0]:.2g} at "
            f"{self.history.label(first)}.",
            "Use another activation or start, residual connections or normalisation; for growing gradients, clip them.",
            state.step,
            self.history.trace.steps[state.step].span,
        )


def largest(value: Value | None) -> float:
    """The largest absolute element."""
    if value is None:
        return 0.0
    if value.data is not None:
        return max((abs(float(element)) for element in value.data), default=0.0)
    return max(abs(float(value.low or 0)), abs(float(value.high or 0)))


def left_out(history: History) -> list[tuple[int, Answer]]:
    """At the end: parameters that optimizers and passes do not agree on."""
    if not history.steps or history.trace.folded:
        return []
    held = {change.tensor for _, step in history.steps for change in step.changes}
    reached = set(history.stored)
    found = []
    first, step = history.steps[0]
    never = [tensor for tensor in sorted(held) if tensor not in reached and history.tracked(tensor, history.last)]
    if never and reached:
        names = listed([history.label(tensor) for tensor in never])
        verb, them = ("is", "it") if len(never) == 1 else ("are", "them")
        found.append(
            (
                never[0],
                Answer(
                    "unused_parameter",
                    f"{names} {verb} in the optimizer, but no backward pass has ever reached {them}.",
                    "Use it in forward(), or leave it out of the optimizer.",
                    first,
                    step.span,
                ),
            )
        )
    rows = history.trace.tensors
    missing = [
        tensor
        for tensor in sorted(reached - held)
        if rows[tensor].role == "parameter" and (history.bound[tensor] or rows[tensor].names)
    ]
    if missing:
        names = listed([history.label(tensor) for tensor in missing])
        verb, them = ("gets gradients", "it") if len(missing) == 1 else ("get gradients", "them")
        found.append(
            (
                missing[0],
                Answer(
                    "not_in_optimizer",
                    f"{names} {verb}, but no optimizer that stepped has {them}: nothing changes there.",
                    "Give the optimizer all parameters that should learn, after the model is complete.",
                    first,
                    step.span,
                ),
            )
        )
    return found
