"""What diagnosis notes of a trace, by tensor and in order."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.document import Trace
from engine.trace.spans import Source


@dataclass(slots=True)
class Pass:
    """One backward pass."""

    call: int
    start: int
    function: str
    roots: list[int]
    inputs: list[int] | None
    end: int
    reached: set[int] = field(default_factory=set)
    nodes: set[int] = field(default_factory=set)
    recorded: bool = False
    """Whether the pass itself is recorded (``create_graph=True``)."""
    freed: bool = False
    raised: bool = True
    """Until its end is seen to be regular."""


class Tables:
    """Tensors, nodes and steps are told by their index in the trace's tables."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.source = Source(trace.code)
        self.made: dict[int, int] = {}
        """Step at which each tensor was made."""
        self.event: dict[int, events.TensorMade] = {}
        self.inputs: dict[int, list[int]] = defaultdict(list)
        self.users: dict[int, list[int]] = defaultdict(list)
        """Tensors computed from a tensor, recorded or not."""
        self.left_with: dict[int, int] = {}
        """For an untracked result: the step at which it left the graph."""
        self.left_from: dict[int, list[int]] = defaultdict(list)
        """For a source: the steps at which something left the graph from it."""
        self.bound: dict[int, list[tuple[int, str]]] = defaultdict(list)
        """(step, name) of every binding of a tensor."""
        self.replaced: dict[int, int] = {}
        """For a tensor that took over a name: the tensor that the name meant before."""
        self.replaced_at: dict[int, tuple[int, str]] = {}
        """For such a tensor: the step at which it took over the name, and the name."""
        self.passes: list[Pass] = []
        self.stored: dict[int, list[tuple[int, events.GradientStored]]] = defaultdict(list)
        self.rewritten: dict[int, list[tuple[int, events.ValueWritten]]] = defaultdict(list)
        """Writes into each tensor's gradient that left other numbers than zeros there."""
        self.zeroed: dict[int, list[int]] = defaultdict(list)
        """Steps at which each tensor's gradient was cleared."""
        self.to_zeros: set[int] = set()
        """Those of these steps that left zeros instead of None."""
        self.set: dict[int, list[tuple[int, events.GradientSet]]] = defaultdict(list)
        """Gradients that the snippet put there itself."""
        self.written: dict[int, list[tuple[int, events.ValueWritten]]] = defaultdict(list)
        self.steps: list[tuple[int, events.OptimizerStepped]] = []
        self.retained: dict[int, int] = {}
        self.switched: dict[int, list[tuple[int, bool]]] = defaultdict(list)
        self.none_sent: list[tuple[int, events.MessageSent]] = []
        """Messages without a gradient."""
        self.bad_messages: list[tuple[int, int, Answer]] = []
        """(pass, receiving tensor, answer) for each message that made NaN or infinity out of finite numbers."""
        self.attributes: dict[str, int] = {}
        """What each attribute, item of a list or entry of a dict was bound to last, in any function."""
        self.saved_at: dict[tuple[int, str], int] = {}
        self.lines: set[tuple[int, int]] = set()
        """(line, column) where each statement that was reached begins."""
        self.last = len(trace.steps) - 1

    def link(self, source: int, result: int) -> None:
        """A tensor was computed from another."""
        if source not in self.inputs[result]:
            self.inputs[result].append(source)
            self.users[source].append(result)
