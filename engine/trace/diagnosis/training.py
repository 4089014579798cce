"""What goes wrong in training without an error: stale gradients, parameters left out, shapes that meet by accident."""

from __future__ import annotations

import math
from collections import defaultdict

from engine.trace import events
from engine.trace.diagnosis import surprises
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
                return surprises.broadcast(self.history, step) or surprises.squashed_twice(self.history, step)
            case events.Warned():
                return surprises.empty_grad_read(self.history, state, step)
            case events.MessageSent():
                return self._relu(state, step)
            case events.ModeChanged(mode="training", enabled=enabled, module=module):
                if enabled:
                    self.evaluating.clear()
                else:
                    self.evaluating[module.partition(" (")[0]] = state.step
            case events.BackwardEnded():
                return self._layers(state) or surprises.rebound_leaf(self.history, state)
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
        """Parameters of a model are changed after its eval() that no train() took back."""
        changed = [self.history.trace.tensors[change.tensor].label for change in step.changes]
        left = [
            name for name in self.evaluating if any(label.startswith((f"{name}.", f"{name}[")) for label in changed)
        ]
        if not left or "." in left[0] or "[" in left[0]:
            return None  # part of a model is kept in evaluation mode on purpose, as batch norm is in fine-tuning
        module, since = left[0], self.evaluating[left[0]]
        return step.changes[0].tensor, Answer(
            "eval_mode",
            f"{code(module)} is in evaluation mode since "
            f"{self.history.line_of(since)}, and training goes on: "
            "dropout is off and batch norm uses its stored statistics.",
            f"Call `{module}.train()` before training goes on.",
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
        return max((abs(complex(element)) for element in value.data), default=0.0)
    return max(abs(float(value.low or 0)), abs(float(value.high or 0)))


def left_out(history: History) -> list[tuple[int, Answer]]:
    """At the end: parameters that optimizers and passes do not agree on."""
    if not history.steps or history.trace.folded:
        return []
    held = {change.tensor for _, step in history.steps for change in step.changes}
    reached = set(history.stored)
    first, step = history.steps[0]
    last, _ = history.steps[-1]
    rows = history.trace.tensors
    never = [tensor for tensor in sorted(held) if tensor not in reached and history.tracked(tensor, history.last)]
    waiting = [tensor for tensor in sorted(reached - held) if history.stored[tensor][0][0] < last]
    missing = [
        tensor
        for tensor in waiting
        if (history.bound[tensor] or rows[tensor].names) and (rows[tensor].role == "parameter" or never == sorted(held))
    ]
    found = []
    if never and missing and never == sorted(held):
        old, new = (listed([history.label(tensor) for tensor in group]) for group in (never, missing))
        other = "an older " + old if old == new else old
        text = (
            f"The optimizer holds {other}, which no backward pass has reached; {new} "
            f"{'gets' if len(missing) == 1 else 'get'} the gradients, and no optimizer has "
            f"{'it' if len(missing) == 1 else 'them'}: nothing learns."
        )
        fix = "Create the optimizer after the model is complete, from the very tensors that the loss is computed from."
        return [(missing[0], Answer("not_in_optimizer", text, fix, first, step.span))]
    if never and reached:
        one = len(never) == 1
        text = (
            f"{listed([history.label(tensor) for tensor in never])} {'is' if one else 'are'} in the optimizer, but no "
            f"backward pass has ever reached {'it' if one else 'them'}."
        )
        fix = "Use it in forward(), or leave it out of the optimizer."
        found.append((never[0], Answer("unused_parameter", text, fix, first, step.span)))
    if missing:
        one = len(missing) == 1
        text = (
            f"{listed([history.label(tensor) for tensor in missing])} {'gets' if one else 'get'} gradients, but no "
            f"optimizer that stepped has {'it' if one else 'them'}: nothing changes there."
        )
        fix = "Give the optimizer all parameters that should learn, after the model is complete."
        found.append((missing[0], Answer("not_in_optimizer", text, fix, first, step.span)))
    return found
