"""Relus that let nothing through any more, pass after pass."""

from __future__ import annotations

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.watcher import Watcher
from engine.trace.diagnosis.places import innermost_module
from engine.trace.document import Node
from engine.trace.elements import is_zero, sample
from engine.trace.marks import code
from engine.trace.parts import Span, Value
from engine.trace.state import State

PASSES = 3
"""Passes in a row in which a relu must let nothing through before it is called dead."""
RELUS = frozenset({"relu", "threshold", "clamp_min", "clamp"})


def below_zero(value: Value) -> bool:
    """Whether an element may be below 0."""
    elements = sample(value)
    return not elements or any(float(element) < 0 for element in elements) or float(value.low or 0) < 0


def above_zero(value: Value) -> bool:
    """Whether an element is seen to be above 0."""
    return any(float(element) > 0 for element in sample(value)) or float(value.high or 0) > 0


class Relus(Watcher):
    """Watches what the relus of each place in the source send on."""

    hears = (events.BackwardStarted, events.MessageSent)

    def __init__(self, history: History) -> None:
        super().__init__(history)
        self.met: dict[Span | None, int] = {}
        """How many relus of each place have run in this pass."""
        self.began = 0
        """The step at which this pass began."""
        self.blocked: dict[tuple[Span | None, int], int] = {}
        """For each relu of a place, counted in a pass: how many passes in a row it has blocked."""

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """The relu's result and the answer, once it has blocked often enough."""
        if isinstance(step, events.BackwardStarted):
            self.met.clear()
            self.began = state.step
        if not isinstance(step, events.MessageSent):
            return None
        row, ran = self.history.trace.nodes[step.node], state.ran.get(step.node)
        if row.operator not in RELUS or ran is None or step.value is None or not row.outputs:
            return None
        place = (row.span, self.met.get(row.span, 0))
        self.met[row.span] = place[1] + 1
        came = [value for value in ran.gradients if value is not None]
        if all(is_zero(value) for value in came):
            return None
        if not is_zero(step.value) or self._satisfied(row, came):
            self.blocked.pop(place, None)
            return None
        self.blocked[place] = self.blocked.get(place, 0) + 1
        if self.blocked[place] < PASSES:
            return None
        flat, fix = self._flat(row)
        return row.outputs[0], Answer(
            "dead_relu",
            f"{self._name(row)} has let no gradient through in {self.blocked[place]} passes: {flat}, "
            "so what lies before it stops learning.",
            fix,
            state.step,
            row.span,
        )

    def _name(self, row: Node) -> str:
        """The layer's name and place where a layer relu made it, else the source."""
        module = innermost_module(self.history, row.scope)
        title = self.history.trace.scopes[module].title if module is not None else ""
        name, _, kind = title.partition(" (")
        line = self.history.line_of(row.step)
        return f"{code(name)} ({line})" if "ReLU" in kind else f"{self.history.quoted(row.span)} ({line})"

    def _flat(self, row: Node) -> tuple[str, str]:
        """Where the inputs lie, and what to do."""
        given = row.edges[0].tensor
        value = self.history.trace.tensors[given].value if given is not None else None
        if row.operator == "clamp" and value is not None and above_zero(value):
            return (
                "its inputs all lie outside its limits, where it is flat",
                "Use a smaller learning rate or another start, or leave the clamp out while training.",
            )
        return (
            "its inputs are all negative",
            "Use a smaller learning rate or another start, or `F.leaky_relu`, which is never flat.",
        )

    def _satisfied(self, row: Node, came: list[Value]) -> bool:
        """A penalty that has nothing to punish, as in a hinge loss: ``relu(1 - score)`` wants to be 0, and is."""
        given = row.edges[0].tensor
        if given is None or any(below_zero(value) for value in came):
            return False
        return self._is_margin(given) or self._learns_elsewhere(given)

    def _is_margin(self, given: int) -> bool:
        event = self.history.event.get(given)
        while event is not None and event.operator in ("add", "mean", "sum") and event.inputs:
            event = self.history.event.get(event.inputs[0])
        return event is not None and (event.operator == "rsub" or (event.operator == "sub" and len(event.inputs) == 2))

    def _learns_elsewhere(self, given: int) -> bool:
        """Whether a leaf before the relu was used in this pass's graph without it too."""
        history = self.history
        began = self.began
        after = max((task.end for task in history.passes if task.end < began), default=-1)
        for leaf in history.ancestors(given):
            if history.is_leaf(leaf, began) and history.tracked(leaf, began):
                uses = [user for user in history.users[leaf] if after < history.made.get(user, -1) < began]
                if len(uses) > 1:
                    return True
        return False
