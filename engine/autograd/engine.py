"""The backward engine: runs a graph from its roots, PyTorch's way.

1. `engine.autograd.task` walks the graph once and counts how many messages each node will get.
2. A node whose messages are all in goes to the `ReadyQueue`; the highest sequence number runs first.
3. Running a node: hooks on its incoming gradients, its derivative, its saved tensors freed, then one message along each
   edge; a message's shape is brought back to what the receiver's forward output had (broadcasting is undone here, once).
4. Messages for the same input add up in the receiver's buffer until it runs.

`ReportedTask` sends tensors and reports each of these to the listener, in this order. When nobody listens and no graph of the
derivatives is wanted, `engine.autograd.bare.BareTask` does the same with arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.autograd import anomaly, hooks
from engine.autograd.bare import BareTask, checked, summed_to
from engine.autograd.currency import currency, plus
from engine.autograd.modes import state as modes
from engine.autograd.node import Edge, Node
from engine.autograd.reentrance import STRETCH, room_for
from engine.autograd.running import running
from engine.autograd.task import Captures, GraphTask
from engine.observe import Listener
from engine.observe import state as observing


def execute(
    roots: Sequence[tuple[Edge, Any]],
    keep_graph: bool,
    create_graph: bool,
    captures: Captures | None = None,
    accumulate: Sequence[Node] = (),
) -> dict[int, Any]:
    """Runs one backward pass (see `GraphTask` for the arguments); returns captured gradients by place."""
    reported = (
        create_graph
        or observing.listener is not None
        or modes.anomaly
        or modes.forward_level
        or modes.watched
        or modes.sparse_met
        or modes.meta_met
    )
    task = (ReportedTask if reported else BareTask)(roots, keep_graph, create_graph, captures, accumulate)
    running.append(task)
    try:
        if len(running) % STRETCH:
            return task.run()
        with room_for(len(running)):
            return task.run()
    finally:
        running.pop()


class ReportedTask(GraphTask):
    """A pass whose messages are tensors, reported to the listener if there is one."""

    expected: dict[Edge, int] | None = None
    """Messages for each input, once somebody has asked."""
    arrived: dict[Edge, int]
    """How many came to each input that got more than one."""

    def count_dependencies(self, starts: list[Node]) -> None:
        """Keeps the places where the pass begins too, for the reports."""
        super().count_dependencies(starts)
        self.begins, self.arrived = starts, {}

    def expects(self, edge: Edge) -> int:
        """How many messages an input will get in all."""
        if self.expected is None:
            self.expected = {}
            edges = [edge for edge, _ in self.roots]
            for node in dict.fromkeys((*self.begins, *self.dependencies)):
                if self.needed is None or node in self.needed:
                    edges += node.edges
            for counted in edges:
                self.expected[counted] = self.expected.get(counted, 0) + 1
        return self.expected[edge]

    def seed(self) -> None:
        """Roots start with the tensors given."""
        for (node, input_nr), gradient in self.roots:
            assert node is not None
            self.deliver(node, input_nr, gradient)

    def loop(self) -> None:
        """Hooks, capture, derivative, messages: node by node."""
        heap, ready = self.ready.heap, self.ready
        while heap:
            node = heap.pop() if len(heap) == 1 else ready.pop()
            gradients = self.buffers.pop(node, None) or [None] * len(node.shapes)
            self.node = node
            if self.captures is not None:
                runs = node in self.needed  # type: ignore[operator]  # known whenever captures are
                if node.hooked and not runs:
                    gradients = hooks.before_capture(node, gradients)
                for input_nr, place in self.captures.get(node, ()):
                    self.captured[place] = gradients[input_nr]
                if not runs:
                    continue
            hooked = node.hooked
            if hooked:
                gradients = hooks.before_run(node, hooks.before_capture(node, gradients))
            if self.needed is None:
                messages = self.derive(node, gradients)
            else:
                messages = self.derived_toward_needed(node, self.derive, node, gradients)
            if not messages and node.is_sink and not hooked:  # a leaf: nothing to check, free or send
                continue
            if hooked or node.post_hooks:
                messages = checked(node, messages, fitted)
            if node.post_hooks:  # looked up again: unpacking a saved tensor may have registered one
                messages = hooks.after_run(node, messages, gradients if hooked else ())
            if not self.keep_graph:
                self.free(node)
            self.send(node, messages)
            messages = ()  # a leaf takes over a gradient that nobody else holds

    def derive(self, node: Node, gradients: list[Any]) -> Sequence[Any]:
        """Runs the node's derivative. Its own operations are reported only if they are being recorded."""
        listener: Listener | None = observing.listener
        if listener is not None and not node.is_sink:
            listener.node_ran(node, gradients)
        if modes.special or modes.deriving or modes.watched or modes.sparse_met:
            return self.derive_in_general(node, gradients)
        if node.is_sink:
            return node.apply(gradients)
        if node.operator is None or self.create_graph:
            return self.derive_in_general(node, gradients)
        aside = observing.aside
        observing.listener, observing.aside = None, listener
        try:
            return derived_bare(node, gradients)
        finally:
            observing.listener, observing.aside = listener, aside

    def derive_in_general(self, node: Node, gradients: list[Any]) -> Sequence[Any]:
        """The same whatever modes are on, for a person's own function, and for a derivative that is recorded."""
        listener, aside = observing.listener, observing.aside
        recorded = node.operator is None or self.create_graph
        if not recorded:
            observing.listener, observing.aside = None, listener
        as_tensors = (
            recorded
            or modes.forward_level
            or modes.watched
            or (modes.meta_met and any(gradient is not None and gradient.is_meta for gradient in gradients))
            or (modes.sparse_met and is_sparse(node, gradients))
        )
        self.set_deriving(node.operator is not None and (self.create_graph or modes.watched))
        try:
            messages = node.apply(gradients) if as_tensors else derived_bare(node, gradients)
            if modes.anomaly:
                anomaly.check_finite(node, messages)
        except RuntimeError:
            if modes.anomaly:
                anomaly.explain_failure(node)
            raise
        finally:
            observing.listener, observing.aside = listener, aside
            self.set_deriving(False)
        return messages

    @staticmethod
    def set_deriving(deriving: bool) -> None:
        """Tells operators whether they are a derivative's that is being recorded."""
        if modes.deriving is not deriving:
            modes.deriving = deriving
            modes.refresh()

    def free(self, node: Node) -> None:
        """Drops what the node had saved, once its hooks have run: one that raises leaves it there, as in PyTorch."""
        listener = observing.listener
        freed = node.held() if listener is not None else ()
        node.release()
        if freed and listener is not None:
            listener.buffers_freed(node, freed)

    def send(self, node: Node, messages: Sequence[Any]) -> None:
        """One message along each edge; a receiver that has all of its messages becomes ready."""
        dependencies = self.dependencies
        for slot, (receiver, input_nr) in enumerate(node.edges):
            if receiver is None:
                continue
            message = messages[slot]
            if message is not None:
                array = message._array
                if array.shape != receiver.shapes[input_nr] or array.dtype is not receiver.dtypes[input_nr]:
                    message = fitted(node, slot, message)
            if self.needed is not None and not self.wanted(receiver):
                continue
            if observing.listener is not None:
                observing.listener.message_sent(node, slot, receiver, input_nr, message)
            self.deliver(receiver, input_nr, message)
            left = dependencies[receiver] = dependencies[receiver] - 1
            if not left:
                self.ready.push(receiver)

    def deliver(self, node: Node, input_nr: int, gradient: Any) -> None:
        """Adds a message to the receiver's buffer."""
        buffer = self.buffers.get(node)
        if buffer is None:
            buffer = self.buffers[node] = [None] * len(node.shapes)
        if gradient is None:
            return
        waiting = buffer[input_nr]
        if waiting is None:
            buffer[input_nr] = gradient
            return
        listener, edge = observing.listener, (node, input_nr)
        arrived = self.arrived[edge] = self.arrived.get(edge, 1) + 1
        if not self.create_graph:
            observing.listener = None
        try:
            buffer[input_nr] = plus(waiting, gradient)
        finally:
            observing.listener = listener
        if listener is not None:
            listener.messages_summed(node, input_nr, arrived, self.expects(edge), waiting, gradient, buffer[input_nr])


def is_sparse(node: Node, gradients: list[Any]) -> bool:
    """Whether a gradient or something saved has no plain array, on which a derivative could run (and round) as always."""
    saved = node.saved if type(node.saved) is tuple else ()  # not so once it is freed
    entries = [e for entry in saved for e in (entry if type(entry) is list else (entry,))]
    kinds = [getattr(entry, "kind", getattr(entry, "tensor", entry)) for entry in (*entries, *gradients)]
    return not all(getattr(kind, "_strided", True) for kind in kinds)


def derived_bare(node: Node, gradients: list[Any]) -> Sequence[Any]:
    """The node's messages, computed on arrays; what is passed on unchanged stays the tensor that it was."""
    wrap = currency.wrap
    if len(gradients) == 1 and len(node.edges) == 1 and gradients[0] is not None:  # the usual case
        given = gradients[0]._array
        array = node.apply_bare([given])[0]
        return (gradients[0] if array is given else None if array is None else wrap(array),)
    tensors: dict[int, Any] = {}
    messages = []
    arrays: list[Any] = []
    for gradient in gradients:
        array = None
        if gradient is not None:
            array = gradient._array
            tensors[id(array)] = gradient
        arrays.append(array)
    for array in node.apply_bare(arrays):
        message = None
        if array is not None:
            key = id(array)
            message = tensors.get(key)
            if message is None:
                message = tensors[key] = wrap(array)
        messages.append(message)
    return messages


def summed_bare(message: Any, shape: tuple[int, ...]) -> Any:
    """``message._sum_to(shape)`` on its array, where nobody records what is done to it."""
    array = summed_to(message._array, shape)
    return None if array is None else currency.wrap(array)


def fitted(node: Node, slot: int, message: Any) -> Any:
    """The message in the shape and dtype that the receiver's forward output had.

    Raises:
        RuntimeError: PyTorch's "returned an invalid gradient", when the shapes cannot be reconciled by summing.
    """
    receiver, input_nr = node.edges[slot]
    assert receiver is not None
    shape, dtype = receiver.shapes[input_nr], receiver.dtypes[input_nr]
    if message._array.shape != shape:
        listener, observing.listener = observing.listener, None
        try:
            summed = (
                message._sum_to(shape)
                if modes.grad_enabled or modes.forward_level or (modes.meta_met and message.is_meta)
                else summed_bare(message, shape)
            )
        finally:
            observing.listener = listener
        if summed is None:
            raise RuntimeError(node.misfit(slot, message._array.shape))
        if listener is not None:
            listener.broadcast_undone(node, slot, message, summed)
        message = summed
    return message if dtype is None or message._array.dtype == dtype else message._cast(dtype)
