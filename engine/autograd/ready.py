"""The queue of nodes that are ready to run: highest sequence number first.

PyTorch keeps them in a ``std::priority_queue``, which is not stable: nodes of equal number (every AccumulateGrad has the
same) leave it in the order of the C++ heap algorithms. Sifting is done here as libstdc++ does it, so that the order of
execution is PyTorch's even then.
"""

from __future__ import annotations

from engine.autograd.node import Node


class ReadyQueue:
    """A binary max-heap on ``sequence_nr`` with libstdc++'s tie behaviour."""

    __slots__ = ("heap",)

    def __init__(self) -> None:
        self.heap: list[Node] = []

    def __len__(self) -> int:
        return len(self.heap)

    def push(self, node: Node) -> None:
        """std::push_heap: sifts up while the parent is strictly smaller."""
        heap = self.heap
        hole = len(heap)
        heap.append(node)
        if hole and heap[(hole - 1) // 2].sequence_nr < node.sequence_nr:
            self._sift_up(hole, node)

    def pop(self) -> Node:
        """std::pop_heap: the hole sinks along the larger children to the bottom, then the last node rises from there."""
        heap = self.heap
        last = heap.pop()
        size = len(heap)
        if size < 2:
            if size:
                heap[0], last = last, heap[0]
            return last
        top, hole, child = heap[0], 0, 0
        while child < (size - 1) // 2:
            child = 2 * (child + 1)
            if heap[child].sequence_nr < heap[child - 1].sequence_nr:
                child -= 1
            heap[hole] = heap[child]
            hole = child
        if size % 2 == 0 and child == (size - 2) // 2:
            child = 2 * (child + 1)
            heap[hole] = heap[child - 1]
            hole = child - 1
        self._sift_up(hole, last)
        return top

    def _sift_up(self, hole: int, node: Node) -> None:
        heap, number = self.heap, node.sequence_nr
        parent = (hole - 1) // 2
        while hole > 0 and heap[parent].sequence_nr < number:
            heap[hole] = heap[parent]
            hole = parent
            parent = (hole - 1) // 2
        heap[hole] = node
