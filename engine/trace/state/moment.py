"""The program and its graph at one step of the replay, and the questions that can be asked of them."""

from __future__ import annotations

from typing import Any

from engine.trace import events
from engine.trace.document import Trace
from engine.trace.parts import Value


class Moment:
    """What is true at one step. Tensors, nodes and steps are told by their index in the trace's tables."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.step = -1
        self.values: dict[int, Value] = {}
        """Each tensor's elements now."""
        self.versions: dict[int, int] = {}
        self.storage: dict[int, int] = {}
        """For a tensor that shares storage: the one that had it first."""
        self.counters: dict[int, int] = {}
        """For a tensor whose writes another's version counts too: the one that had the counter first (not so of ``.data``)."""
        self.requires_grad: dict[int, bool] = {}
        self.grad_fn: dict[int, int | None] = {}
        self.grads: dict[int, Value | None] = {}
        """``.grad`` of every tensor that has been touched by a pass or a zeroing."""
        self.stored_by: dict[int, list[tuple[int, int]]] = {}
        """(pass, step) of every contribution that a ``.grad`` holds now."""
        self.names: dict[tuple[int, str], int] = {}
        """What (scope's function, name) means."""
        self.nodes: list[int] = []
        """Nodes recorded so far, AccumulateGrad left out."""
        self.accumulators: dict[int, int] = {}
        """Each leaf's AccumulateGrad (a leaf gets a new one when the graphs that held the old one are gone)."""
        self.consumers: dict[tuple[int, int], list[tuple[int, int]]] = {}
        """(node, slot) of every edge into (node, output)."""
        self.saved: dict[tuple[int, str], Value | str] = {}
        """What a node saved under a name: the value then, or a plain value's text."""
        self.freed: dict[int, tuple[int, int]] = {}
        """(pass, step) that freed a node's buffers."""
        self.finished: set[int] = set()
        """Nodes of graphs that a pass has run and not kept: what they are made of is history."""
        self.left: dict[int, str] = {}
        """By which way each tensor left the graph."""
        self.grad_enabled = True
        self.inference = False
        self.call = 0
        self.started: dict[int, int] = {}
        """Step at which each pass began."""
        self.ended: set[int] = set()
        """Passes that are over."""
        self.suspended: list[dict[str, Any]] = []
        """What was known of each pass that waits for one inside of it, the outermost first."""
        self.ran: dict[int, events.NodeRan] = {}
        """In this pass: each node's run."""
        self.ran_at: dict[int, int] = {}
        """In this pass: the step of each node's run."""
        self.sent_at: dict[tuple[int, int], int] = {}
        """In this pass: the step of the message along each (node, slot)."""
        self.unbroadcast: set[tuple[int, int]] = set()
        """In this pass: the edges whose gradient was summed back to a smaller shape."""
        self.freed_in_pass = 0
        """In this pass: how many nodes let go of what they had saved."""
        self.sent: set[int] = set()
        """In this pass: the nodes that have sent something."""
        self.arrived: dict[tuple[int, int], list[events.MessageSent]] = {}
        """In this pass: the messages into each (node, output)."""

    def value(self, tensor: int) -> Value | None:
        """A tensor's elements now."""
        return self.values.get(tensor) or self.trace.tensors[tensor].value

    def counter(self, tensor: int) -> int:
        """The tensor whose version counts the writes into this one."""
        return self.counters.get(tensor, tensor)

    def version(self, tensor: int) -> int:
        """The tensor's version, which a write into what it is a view of raises too, such as an optimizer's step."""
        return max(self.versions.get(tensor, 0), self.versions.get(self.counter(tensor), 0))

    def is_leaf(self, tensor: int) -> bool:
        """Whether no recorded operation stands behind it."""
        return self.grad_fn.get(tensor, self.trace.tensors[tensor].grad_fn) is None

    def tracked(self, tensor: int) -> bool:
        """Whether it requires grad."""
        return self.requires_grad.get(tensor, self.trace.tensors[tensor].requires_grad)

    def holder(self, scope: int) -> int:
        """The function (or the program) that a scope's names belong to."""
        scopes = self.trace.scopes
        while scopes[scope].kind not in ("program", "function"):
            parent = scopes[scope].parent
            if parent is None:
                break
            scope = parent
        return scope

    def leads_to(self, tensor: int) -> bool:
        """Whether the graph leads from where the running pass (or the last one) began to a tensor."""
        started = self.trace.steps[self.started[self.call]] if self.call in self.started else None
        place = self.receiver(tensor)
        if not isinstance(started, events.BackwardStarted) or place is None:
            return False
        waiting = [found[0] for root in started.roots if (found := self.receiver(root)) is not None]
        seen = set(waiting)
        while waiting:
            for edge in self.trace.nodes[waiting.pop()].edges:
                if edge.node is not None and (edge.node, edge.input_nr) == place:
                    return True
                if edge.node is not None and edge.node not in seen:
                    seen.add(edge.node)
                    waiting.append(edge.node)
        return False

    def passes_recorded(self) -> bool:
        """Whether the pass that runs (or ran last) was told ``create_graph``."""
        started = self.trace.steps[self.started[self.call]] if self.call in self.started else None
        return isinstance(started, events.BackwardStarted) and started.create_graph

    def broken_off(self) -> bool:
        """Whether the pass was left by an exception: its last node ran and sent nothing, though it has receivers."""
        if not self.ran:
            return False
        last = next(reversed(self.ran))
        return last not in self.sent and any(edge.node is not None for edge in self.trace.nodes[last].edges)

    def uses(self, tensor: int) -> list[tuple[int, int]]:
        """(node, slot) of every edge into the tensor from graphs that have not been used up, as the snippet made them."""
        place = self.receiver(tensor)
        if place is None:
            return []
        living = [use for use in self.consumers.get(place, []) if use[0] not in self.finished]
        self.consumers[place] = living
        return [use for use in living if self.is_own_use(use[0])]

    def is_own_use(self, node: int) -> bool:
        """Whether a node uses its arguments in the snippet's own computation.

        Not so in a recorded pass, whose graph is another one, nor where a view gets a new node after a write.
        """
        row = self.trace.nodes[node]
        anew = row.operator == "as_strided" and any(self.trace.tensors[made].step < row.step for made in row.outputs)
        return self.trace.scopes[row.scope].kind != "backward" and not anew

    def receiver(self, tensor: int) -> tuple[int, int] | None:
        """Where a tensor's gradient goes: its grad_fn and output, or its AccumulateGrad."""
        row = self.trace.tensors[tensor]
        node = self.grad_fn.get(tensor, row.grad_fn)
        if node is not None:
            return (node, row.output_nr)
        accumulator = self.accumulators.get(tensor)
        return None if accumulator is None else (accumulator, 0)
