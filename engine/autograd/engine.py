"""The backward engine: runs a graph from its roots, PyTorch's way.

1. `count_dependencies` walks the graph once (no recursion) and counts how many messages each node will get.
2. A node whose messages are all in goes to the `ReadyQueue`; the highest sequence number runs first.
3. Running a node: hooks on its incoming gradients, its derivative, its saved tensors freed, then one message along each
   edge; a message's shape is brought back to what the receiver's forward output had (broadcasting is undone here, once).
4. Messages for the same input add up in the receiver's buffer until it runs.

Everything is reported to the listener of `engine.observe` in this order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.autograd import hooks
from engine.autograd.modes import state as modes
from engine.autograd.node import AccumulateGrad, Edge, Node
from engine.autograd.ready import ReadyQueue
from engine.observe import state as observing

Captures = dict[Node, list[tuple[int, int]]]
"""For each node, the (input number, place in the result) pairs to capture instead of, or before, running it."""


class GraphTask:
    """One backward pass.

    Args:
        roots: (edge, gradient) pairs to start from.
        keep_graph: leave saved tensors in place.
        create_graph: record the derivatives' own operations.
        captures: gradients to return; only nodes on the way to them run. None means: run everything.
        accumulate: nodes (AccumulateGrad) that run although captures are given.
    """

    def __init__(
        self,
        roots: Sequence[tuple[Edge, Any]],
        keep_graph: bool,
        create_graph: bool,
        captures: Captures | None = None,
        accumulate: Sequence[Node] = (),
    ) -> None:
        self.roots = roots
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.captures = captures
        self.captured: dict[int, Any] = {}
        self.buffers: dict[Node, list[Any]] = {}
        self.ready = ReadyQueue()
        self.dependencies: dict[Node, int] = {}
        self.expected: dict[Edge, int] = {}
        self.arrived: dict[Edge, int] = {}
        self.needed = None if captures is None else self._find_needed(set(captures) | set(accumulate), set(accumulate))

    def run(self) -> dict[int, Any]:
        """Runs the pass; returns captured gradients by place."""
        previous = modes.grad_enabled
        modes.grad_enabled = self.create_graph
        try:
            self._start()
            while self.ready.heap:
                node = self.ready.pop()
                gradients = self.buffers.pop(node, None) or [None] * len(node.shapes)
                if node.hooked:
                    gradients = hooks.before_capture(node, gradients)
                if self.captures is not None and not self._capture(node, gradients):
                    continue
                if node.hooked:
                    gradients = hooks.before_run(node, gradients)
                messages = self._derive(node, gradients)
                if node.hooked:
                    messages = hooks.after_run(node, messages, gradients)
                self._send(node, messages)
        finally:
            modes.grad_enabled = previous
        return self.captured

    def _capture(self, node: Node, gradients: list[Any]) -> bool:
        """Keeps the gradients that were asked for here; says whether the node must run for others."""
        assert self.captures is not None and self.needed is not None
        for input_nr, place in self.captures.get(node, ()):
            self.captured[place] = gradients[input_nr]
        return node in self.needed

    def _start(self) -> None:
        starts = list(dict.fromkeys(node for (node, _), _ in self.roots if node is not None))
        self._count_dependencies(starts)
        for (node, input_nr), gradient in self.roots:
            if node is not None:
                self._put(node, input_nr, gradient)
        for node in starts:
            if not self.dependencies.get(node):
                self.ready.push(node)

    def _count_dependencies(self, starts: list[Node]) -> None:
        dependencies, seen, stack = self.dependencies, set(starts), list(starts)
        expected = self.expected if observing.listener is not None else None
        if expected is not None:
            for (node, input_nr), _ in self.roots:
                if node is not None:
                    expected[node, input_nr] = expected.get((node, input_nr), 0) + 1
        while stack:
            for edge in stack.pop().edges:
                node = edge[0]
                if node is None:
                    continue
                if expected is not None:
                    expected[edge] = expected.get(edge, 0) + 1
                dependencies[node] = dependencies.get(node, 0) + 1
                if node not in seen:
                    seen.add(node)
                    stack.append(node)

    def _find_needed(self, targets: set[Node], run: set[Node]) -> set[Node]:
        """Nodes from which a target can be reached, found without recursion (children before parents)."""
        needed, seen = set(run), set()
        stack = [(node, False) for (node, _), _ in self.roots if node is not None]
        while stack:
            node, done = stack.pop()
            if done:
                if any(child in needed or child in targets for child, _ in node.edges if child is not None):
                    needed.add(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((child, False) for child, _ in node.edges if child is not None)
        return needed

    def _put(self, node: Node, input_nr: int, gradient: Any) -> None:
        """Adds a message to the receiver's buffer."""
        buffer = self.buffers.get(node)
        if buffer is None:
            buffer = self.buffers[node] = [None] * len(node.shapes)
        if gradient is None:
            return
        waiting = buffer[input_nr]
        buffer[input_nr] = gradient if waiting is None else waiting + gradient
        if observing.listener is not None:
            self._report_arrival(node, input_nr, waiting, gradient, buffer[input_nr])

    def _report_arrival(self, node: Node, input_nr: int, waiting: Any, gradient: Any, total: Any) -> None:
        edge = (node, input_nr)
        arrived = self.arrived[edge] = self.arrived.get(edge, 0) + 1
        if waiting is not None:
            assert observing.listener is not None
            expected = self.expected.get(edge, arrived)
            observing.listener.messages_summed(node, input_nr, arrived, expected, waiting, gradient, total)

    def _derive(self, node: Node, gradients: list[Any]) -> Sequence[Any]:
        """Runs the node's derivative and frees what it had saved, before anything is delivered."""
        listener = observing.listener
        if listener is None:
            messages = node.apply(gradients)
            if not self.keep_graph:
                node.release()
            return messages
        if not isinstance(node, AccumulateGrad):
            listener.node_ran(node, gradients)
        if node.operator is not None and not self.create_graph:
            observing.listener = None
        try:
            messages = node.apply(gradients)
        finally:
            observing.listener = listener
        if not self.keep_graph:
            freed = node.held()
            node.release()
            if freed:
                listener.buffers_freed(node, freed)
        return messages

    def _send(self, node: Node, messages: Sequence[Any]) -> None:
        """One message along each edge; a receiver that has all of its messages becomes ready."""
        listener, dependencies, buffers, needed = observing.listener, self.dependencies, self.buffers, self.needed
        for slot, (receiver, input_nr) in enumerate(node.edges):
            if receiver is None:
                continue
            message = messages[slot]
            if message is not None:
                array = message._array
                if array.shape != receiver.shapes[input_nr] or array.dtype is not receiver.dtypes[input_nr]:
                    message = fitted(node, slot, message, receiver, input_nr)
            if listener is not None:
                listener.message_sent(node, slot, receiver, input_nr, message)
                self._put(receiver, input_nr, message)
            else:
                buffer = buffers.get(receiver)
                if buffer is None:
                    buffer = buffers[receiver] = [None] * len(receiver.shapes)
                if message is not None:
                    waiting = buffer[input_nr]
                    buffer[input_nr] = message if waiting is None else waiting + message
            left = dependencies[receiver] - 1
            if left:
                dependencies[receiver] = left
            elif needed is None or receiver in needed or receiver in self.captures:  # type: ignore[operator]
                self.ready.push(receiver)


def fitted(node: Node, slot: int, message: Any, receiver: Node, input_nr: int) -> Any:
    """The message in the shape and dtype that the receiver's forward output had.

    Raises:
        RuntimeError: PyTorch's "returned an invalid gradient", when the shapes cannot be reconciled by summing.
    """
    shape, dtype = receiver.shapes[input_nr], receiver.dtypes[input_nr]
    array = message._array
    if array.shape != shape:
        listener = observing.listener
        observing.listener = None
        try:
            summed = message._sum_to(shape)
        finally:
            observing.listener = listener
        if summed is None:
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {slot} - got {list(array.shape)} but expected "
                f"shape compatible with {list(shape)}"
            )
        if listener is not None:
            listener.broadcast_undone(node, slot, message, summed)
        message = summed
    if array.dtype is not dtype and array.dtype != dtype:
        message = message._cast(dtype)
    return message
