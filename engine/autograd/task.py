"""What every backward pass prepares: how many messages each node will get, and which nodes are needed at all."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from engine.autograd.modes import state as modes
from engine.autograd.node import NO_EDGE, Edge, Node
from engine.autograd.ready import ReadyQueue

Captures = dict[Node, list[tuple[int, int]]]
"""For each node, the (input number, place in the result) pairs to capture instead of, or before, running it."""

numbers = itertools.count()


class GraphTask:
    """One backward pass; the two subclasses differ in what travels: tensors (`engine.autograd.engine`) or bare arrays
    (`engine.autograd.bare`).

    Args:
        roots: (edge, gradient) pairs to start from.
        keep_graph: leave saved tensors in place.
        create_graph: record the derivatives' own operations.
        captures: gradients to return; only nodes on the way to them run. None means: run everything.
        accumulate: nodes (AccumulateGrad) that run although captures are given.
    """

    recomputed: dict[Any, Any] | None = None
    """What checkpoints made again in this pass, and nobody has asked for yet."""

    def __init__(
        self,
        roots: Sequence[tuple[Edge, Any]],
        keep_graph: bool,
        create_graph: bool,
        captures: Captures | None = None,
        accumulate: Sequence[Node] = (),
    ) -> None:
        self.number = next(numbers)
        self.node: Node | None = None
        """The node at work, while its hooks run."""
        self.places: dict[int, tuple[Any, Any]] | None = None
        """Where numbers lie that were looked at as tensors (`engine.autograd.running.remembered`), by identity."""
        self.callbacks: list[Callable[[], Any]] = []
        """What to call when the pass is over."""
        self.roots = [(edge, gradient) for edge, gradient in roots if edge[0] is not None]
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.captures = captures
        self.captured: dict[int, Any] = {}
        self.buffers: dict[Node, list[Any]] = {}
        self.ready = ReadyQueue()
        self.dependencies: dict[Node, int] = {}
        self.needed: set[Node] | None = None
        if captures is not None:
            self.needed = self._find_needed(set(captures) | set(accumulate), set(accumulate))

    def run(self) -> dict[int, Any]:
        """Runs the pass; returns captured gradients by place.

        Modes, and hooks on saved tensors, that were switched inside are afterwards what they were before.
        """
        previous, saved_hooks = modes.grad_enabled, modes.saved_hooks
        modes.grad_enabled = self.create_graph
        modes.saved_hooks = saved_hooks.copy()
        try:
            starts = self.starts()
            self.count_dependencies(starts)
            self.seed()
            for node in starts:
                if node not in self.dependencies:
                    self.ready.push(node)
            self.loop()
            for callback in self.callbacks:
                callback()
        finally:
            modes.grad_enabled = previous
            changed, modes.saved_hooks = modes.saved_hooks != saved_hooks, saved_hooks
            if changed:
                modes.refresh()
        return self.captured

    def seed(self) -> None:
        """Puts the roots' gradients into their nodes' buffers."""
        raise NotImplementedError

    def loop(self) -> None:
        """Runs ready nodes until none is left."""
        raise NotImplementedError

    def count_dependencies(self, starts: list[Node]) -> None:
        """Counts each reachable node's messages."""
        self.dependencies = dependencies_of(starts)

    def starts(self) -> list[Node]:
        """The nodes of the roots, each once."""
        return list(dict.fromkeys(node for (node, _), _ in self.roots if node is not None))

    def wanted(self, node: Node) -> bool:
        """Whether a node that is ready has anything to do in this pass."""
        return self.needed is None or node in self.needed or node in self.captures  # type: ignore[operator]  # set with `needed`

    def derived_toward_needed(self, node: Node, derive: Callable[..., Sequence[Any]], *arguments: Any) -> Sequence[Any]:
        """What ``derive`` gives: of an operator only for the edges that lead to a gradient that was asked for, of a person's function
        for all.
        """
        if node.operator is None:
            return derive(*arguments)
        edges = node.edges
        node.edges = tuple([edge if edge[0] is not None and self.wanted(edge[0]) else NO_EDGE for edge in edges])
        try:
            return derive(*arguments)
        finally:
            node.edges = edges

    def execution_order(self) -> list[Node]:
        """The nodes that the pass runs or captures, in order, foretold from the graph as it is."""
        starts = self.starts()
        left, queue, order = dependencies_of(starts), ReadyQueue(), []
        for start in starts:
            if start not in left:
                queue.push(start)
        while queue.heap:
            node = queue.pop()
            order.append(node)
            for receiver, _ in node.edges:
                if receiver is None:
                    continue
                left[receiver] -= 1
                if not left[receiver] and self.wanted(receiver):
                    queue.push(receiver)
        return order

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


def dependencies_of(starts: list[Node]) -> dict[Node, int]:
    """How many messages each node reachable from ``starts`` will get, without recursion."""
    dependencies: dict[Node, int] = {}
    stack, seen = list(starts), set(starts) if len(starts) > 1 else ()
    while stack:
        for node, _ in stack.pop().edges:
            if node is None:
                continue
            count = dependencies.get(node)
            if count is None:
                dependencies[node] = 1
                if node not in seen:
                    stack.append(node)
            else:
                dependencies[node] = count + 1
    return dependencies
