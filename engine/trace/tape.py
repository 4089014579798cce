"""The growing list of steps: budgets, folding, and the stream that survives a killed run."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from engine.trace.document import Node, Outcome, Scope, Tensor
from engine.trace.events import Step, TensorMade
from engine.trace.limits import Limits
from engine.trace.parts import Value
from engine.trace.value_reader import ValueReader


class Batch(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """What was recorded since the last batch. Steps have no words yet (`engine.trace.assemble` explains)."""

    steps: list[Step]
    scopes: list[Scope]
    """New rows of the table."""
    tensors: dict[int, Tensor]
    """New or changed rows by index."""
    nodes: dict[int, Node]
    folded: int = 0
    """Steps left out so far in all."""
    output: str = ""
    """What was printed since (standard output only)."""
    line: int = 0
    """The line that is about to run: guilty if nothing follows."""
    outcome: Outcome | None = None
    """How the program ended, if it is only played again for what was not kept."""


Sink = Callable[[Batch], None]


class Tape:
    """Steps in order. `add` keeps or folds; `flush` hands what is new to the sink."""

    def __init__(self, limits: Limits, sink: Sink | None, scopes: list[Scope], reserved: int = 0) -> None:
        """``reserved``: steps that are kept for later, when `reopen` is called."""
        self.limits = limits
        self.room = limits.steps - reserved
        self.sink = sink
        self.steps: list[Step] = []
        self.tensors: list[Tensor] = []
        self.nodes: list[Node] = []
        self.scopes = scopes
        self.folded = 0
        self.line = 0
        self.output: list[str] = []
        """Everything printed to standard output, piece by piece."""
        self.told = 0
        """How many of these pieces are in steps."""
        self.full = False
        self.values = ValueReader(limits.value_bytes)
        self._changed_tensors: set[int] = set()
        self._changed_nodes: set[int] = set()
        self._sent_steps = 0
        self._sent_scopes = 0
        self._sent_output = 0
        self._lines_seen: set[int] = set()
        self._last = time.perf_counter()

    def add(self, event: Step) -> None:
        """Keeps a step, or counts it when the budget is spent."""
        if self.full:
            self.folded += 1
            return
        steps = self.steps
        steps.append(event)
        if len(steps) >= self.room:
            self.full = True

    def untold_output(self) -> str:
        """What was printed since the last piece that is in a step; it is told now."""
        untold, self.told = self.output[self.told :], len(self.output)
        return "".join(untold)

    def reopen(self) -> None:
        """Steps are kept again, as far as the budget goes."""
        self.room = self.limits.steps
        self.full = len(self.steps) >= self.room

    def add_last(self, event: Step) -> None:
        """Keeps a step whatever the budget: the end of the run, and the line that it ended at."""
        self.steps.append(event)

    def tensor_changed(self, index: int) -> None:
        """The tensor's row is new or has changed since the last batch."""
        self._changed_tensors.add(index)

    def node_changed(self, index: int) -> None:
        """The node's row is new or has changed since the last batch."""
        self._changed_nodes.add(index)

    def pause(self, line: int) -> None:
        """Called before each statement where there is a sink: flushes when enough has gathered or waited long enough.

        The first lines are flushed one by one: a line that never ends is most often one that was never reached before.
        """
        waiting = len(self.steps) - self._sent_steps
        if line not in self._lines_seen and len(self._lines_seen) < self.limits.prompt_lines:
            self._lines_seen.add(line)
            self.flush()
        elif waiting and (waiting >= self.limits.batch or time.perf_counter() - self._last > self.limits.pause):
            self.flush()

    def unsent(self, step: int) -> bool:
        """Whether a step is still here to be changed."""
        return self._sent_steps <= step < len(self.steps)

    def remake(self, tensor: int, value: Value) -> None:
        """A tensor that is still being made got its first values: they take the place of the old ones."""
        row = self.tensors[tensor]
        made = self.steps[row.step]
        if isinstance(made, TensorMade):
            row.value = made.value = value
            self.tensor_changed(tensor)

    def mergeable(self, event: Step) -> bool:
        """Whether ``event`` is the last step and was not sent yet, so that it may still grow."""
        return bool(self.steps) and self.steps[-1] is event and len(self.steps) > self._sent_steps

    def flush(self, outcome: Outcome | None = None) -> None:
        """Sends what is new, and how the program ended if all is sent."""
        self.values.settle()
        if self.sink is None:
            return
        batch = Batch(
            steps=self.steps[self._sent_steps :],
            scopes=self.scopes[self._sent_scopes :],
            tensors={index: self.tensors[index] for index in sorted(self._changed_tensors)},
            nodes={index: self.nodes[index] for index in sorted(self._changed_nodes)},
            folded=self.folded,
            output="".join(self.output[self._sent_output :]),
            line=self.line,
            outcome=outcome,
        )
        self._changed_tensors.clear()
        self._changed_nodes.clear()
        self._sent_steps = len(self.steps)
        self._sent_scopes = len(self.scopes)
        self._sent_output = len(self.output)
        self.sink(batch)
        self._last = time.perf_counter()
