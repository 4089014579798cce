"""Gradients that shrink or grow out of all proportion: from layer to layer, from turn to turn, from update to update."""

from __future__ import annotations

import math
from collections import Counter

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.watcher import Watcher
from engine.trace.diagnosis.places import innermost_module
from engine.trace.elements import largest
from engine.trace.state import State
from engine.trace.values import spelled

SHRINK = 1e-5
"""Ratio of the first layer's largest gradient to the last layer's that is called vanishing (its inverse: exploding)."""
LAYERS = 4
"""Weights, or layers in a row, that make a chain worth judging so."""
SHRINK_OVER_TURNS = 1e-7
TURNS = 10
"""The same for one step that is repeated, as in a recurrent network, where long chains are usual."""
WEIGHTED = frozenset({"addmm", "mm", "matmul", "bmm", "baddbmm", "mv", "addmv", "convolution", "linear"})
"""Operators of layers."""
TURNED = frozenset({"t", "transpose", "permute"})
"""How a layer turns its weight first."""
CURES = {
    (
        "vanishing",
        False,
    ): "Use relu or another activation that does not flatten, residual connections or normalisation.",
    ("exploding", False): "Start with smaller weights, normalise, or clip: torch.nn.utils.clip_grad_norm_.",
    ("vanishing", True): "Use a gated cell (nn.LSTM, nn.GRU), an orthogonal start or fewer steps.",
    ("exploding", True): "Start with smaller weights, take fewer steps, or clip: torch.nn.utils.clip_grad_norm_.",
}
"""What to do, by cause and by whether one step is repeated."""


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
        answer = self._judged(state, first, last, largest(state.grads[first]), largest(state.grads[last]))
        return None if answer is None else (first, answer)

    def _layers(self, state: State) -> tuple[int, Answer] | None:
        """The gradient of the first layer's result against the last one's; a layer used again and again is a loop."""
        nodes = self.history.trace.nodes
        chain = sorted(node for node in state.ran if nodes[node].operator in WEIGHTED and nodes[node].outputs)
        if len(chain) < LAYERS:
            return None
        places = {node: (nodes[node].span, self._layer(node), self._weight(node)) for node in chain}
        counts = Counter(places.values())
        often = max(counts.values())
        if often < TURNS:
            return self._chain(state, chain, repeated=False)
        for place in (place for place, count in counts.items() if count == often):
            found = self._chain(state, [node for node in chain if places[node] == place], repeated=True)
            if found is not None:
                return found
        return None

    def _chain(self, state: State, chain: list[int], repeated: bool) -> tuple[int, Answer] | None:
        """One chain of nodes, judged by its two ends; its last node is the last one that its first leads to."""
        nodes = self.history.trace.nodes
        size = {node: largest(state.ran[node].gradients[0]) for node in chain}
        begin, at_first = nodes[chain[0]].outputs[0], size[chain[0]]
        if at_first == 0:  # less than its type can tell from 0, if it has shrunk that far on the way
            at_first = next((size[node] for node in chain if size[node]), 0.0)
        if not extreme(at_first, size[chain[-1]], repeated):
            return None
        later = set(self.history.recorded_descendants(begin))
        last = next((node for node in reversed(chain[1:]) if nodes[node].outputs[0] in later), None)
        if last is None:
            return None
        end, at_last = nodes[last].outputs[0], largest(state.ran[last].gradients[0])
        answer = self._judged(state, begin, end, at_first, at_last, last if repeated else None, size[chain[0]])
        return None if answer is None else (begin, answer)

    def _layer(self, node: int) -> str:
        """The layer that a node belongs to: the layers of an nn.Sequential stand at one place in the source."""
        module = innermost_module(self.history, self.history.trace.nodes[node].scope)
        return self.history.trace.scopes[module].title if module is not None else ""

    def _weight(self, node: int) -> int | None:
        """The leaf that a layer's node multiplies with, possibly transposed: a loop over a list of weights repeats nothing."""
        nodes = self.history.trace.nodes
        for edge in nodes[node].edges:
            behind = nodes[edge.node] if edge.node is not None else None
            if behind is not None and len(behind.edges) == 1 and behind.edges[0].node is not None:
                behind = nodes[behind.edges[0].node] if behind.operator in TURNED else behind
            if behind is not None and behind.leaf is not None:
                return behind.leaf
        return None

    def _judged(
        self,
        state: State,
        first: int,
        last: int,
        at_first: float,
        at_last: float,
        turn: int | None = None,
        shown: float | None = None,
    ) -> Answer | None:
        """The answer for two ends of a chain; ``turn`` is the last of the nodes when they are turns of one step.

        ``shown`` is what the first one has, where that is 0 and another was judged.
        """
        if not extreme(at_first, at_last, turn is not None):
            return None
        cause, verb, so = (
            ("vanishing", "shrinks", "what lies early in the chain hardly learns")
            if at_first < at_last
            else ("exploding", "grows", "updates become far too large")
        )
        label, at_first = self.history.label, at_first if shown is None else shown
        if turn is None and label(first) == label(last):
            way = f"from {spelled(at_last, 2)} at the last {label(last)} to {spelled(at_first, 2)} at the first one"
        elif turn is None:
            way = f"from {spelled(at_last, 2)} at {label(last)} to {spelled(at_first, 2)} at {label(first)}"
        else:
            row = self.history.trace.nodes[turn]
            step = f"{self.history.quoted(row.span)} ({self.history.line_of(row.step)})"
            way = f"from {spelled(at_last, 2)} at the last turn of {step} to {spelled(at_first, 2)} at the first one"
        return Answer(
            cause,
            f"The gradient {verb} {way}: {so}.",
            CURES[cause, turn is not None],
            state.step,
            self.history.trace.steps[state.step].span,
        )


def extreme(at_first: float, at_last: float, repeated: bool) -> bool:
    """Whether two sizes of gradients are too far apart."""
    if not (at_first and at_last and math.isfinite(at_first) and math.isfinite(at_last)):
        return False
    least = SHRINK_OVER_TURNS if repeated else SHRINK
    return not least <= at_first / at_last <= 1 / least
