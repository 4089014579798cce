"""Gradients that shrink or grow out of all proportion: from layer to layer, from turn to turn, from update to update."""

from __future__ import annotations

import math

from engine.trace import events
from engine.trace.diagnosis.departures import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.watcher import Watcher
from engine.trace.parts import Value
from engine.trace.state import State

SHRINK = 1e-5
"""Ratio of the first layer's largest gradient to the last layer's that is called vanishing (its inverse: exploding)."""
LAYERS = 4
"""Weights, or layers in a row, that make a chain worth judging so."""
SHRINK_OVER_TURNS = 1e-7
TURNS = 10
"""The same for one step that is repeated, as in a recurrent network, where long chains are usual."""
WEIGHTED = frozenset({"addmm", "mm", "matmul", "bmm", "baddbmm", "mv", "addmv", "convolution", "linear"})
"""Operators of layers."""
CURE = "Use another activation or start, residual connections or normalisation; for growing gradients, clip them."
CURE_OVER_TURNS = (
    "Use a gated cell (nn.LSTM, nn.GRU), an orthogonal start or fewer steps; for growing gradients, "
    "torch.nn.utils.clip_grad_norm_."
)


class Sizes(Watcher):
    """Compares, at the end of each pass, the two ends of every chain of layers."""

    hears = (events.BackwardEnded,)

    def __init__(self, history: History) -> None:
        super().__init__(history)

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """The tensor at the beginning of the chain and the answer, once the ratio is extreme."""
        return self._weights(state) or self._layers(state)

    def _weights(self, state: State) -> tuple[int, Answer] | None:
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
        answer = self._judged(state, first, last, largest(state.grads[first]), largest(state.grads[last]), SHRINK, CURE)
        return None if answer is None else (first, answer)

    def _layers(self, state: State) -> tuple[int, Answer] | None:
        """The gradient of the first layer's result against the last one's; a layer used again and again is a loop."""
        nodes = self.history.trace.nodes
        chain = sorted(node for node in state.ran if nodes[node].operator in WEIGHTED and nodes[node].outputs)
        if len(chain) < LAYERS:
            return None
        places = {node: nodes[node].span for node in chain}
        again = [node for node in chain if places[node] == places[chain[-1]]]
        repeated = len(again) >= TURNS
        first, last = (again[0], again[-1]) if repeated else (chain[0], chain[-1])
        begin, end = nodes[first].outputs[0], nodes[last].outputs[0]
        at_first, at_last = (largest(state.ran[node].gradients[0]) for node in (first, last))
        least, cure = (SHRINK_OVER_TURNS, CURE_OVER_TURNS) if repeated else (SHRINK, CURE)
        answer = self._judged(state, begin, end, at_first, at_last, least, cure)
        if answer is None or end not in self.history.recorded_descendants(begin):
            return None
        return begin, answer

    def _judged(
        self, state: State, first: int, last: int, at_first: float, at_last: float, least: float, cure: str
    ) -> Answer | None:
        if not (at_first and at_last and math.isfinite(at_first) and math.isfinite(at_last)):
            return None
        ratio = at_first / at_last
        if least <= ratio <= 1 / least:
            return None
        cause, verb = ("vanishing", "shrinks") if ratio < 1 else ("exploding", "grows")
        labels = self.history.label(last), self.history.label(first)
        lines = self._line(last), self._line(first)
        names = [f"{label} ({line})" for label, line in zip(labels, lines, strict=True)]
        names = list(labels) if labels[0] != labels[1] else [f"its last turn, {names[0]},", "the first"]
        return Answer(
            cause,
            f"The gradient {verb} from {at_last:.2g} at {names[0]} to {at_first:.2g} at {names[1]}.",
            cure,
            state.step,
            self.history.trace.steps[state.step].span,
        )

    def _line(self, tensor: int) -> str:
        return self.history.line_of(self.history.made.get(tensor))


def largest(value: Value | None) -> float:
    """The largest absolute element."""
    if value is None:
        return 0.0
    if value.data is not None:
        return max((abs(complex(element)) for element in value.data), default=0.0)
    return max(abs(float(value.low or 0)), abs(float(value.high or 0)))
