"""``torch.autograd.graph.register_multi_grad_hook``: one hook for several tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from engine.autograd.edges import GradientEdge, edge_of
from engine.autograd.handles import RemovableHandle
from engine.autograd.node import Node
from engine.autograd.running import running
from engine.autograd.task import GraphTask


class _MultiHandle(RemovableHandle):
    """Removes all hooks that a multi-grad hook put on."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Takes them all off."""
        for handle in self.handles:
            handle.remove()


_MultiHandle.__module__ = "torch.autograd.graph"


def register_multi_grad_hook(tensors: Sequence[Any], fn: Callable[..., Any], *, mode: str = "all") -> RemovableHandle:
    """Calls ``fn`` once per backward: with all gradients when the last has come (``all``), or with the first (``any``).

    Raises:
        ValueError: for another mode.
        AssertionError: a tensor has no node.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        return _MultiHandle(on_any(tensors, fn))
    nodes = [node_of(tensor) for tensor in tensors]
    collected: dict[int, list[Any]] = {}
    waiting: dict[int, int] = {}

    def arrived(index: int) -> Callable[[Any], None]:
        @functools.wraps(fn)
        def hook(gradient: Any) -> None:
            task = running[-1]
            if task.number not in collected:
                collected[task.number] = [None] * len(nodes)
                waiting[task.number] = sum(will_execute(task, node) for node in nodes)
            collected[task.number][index] = gradient
            waiting[task.number] -= 1
            if not waiting[task.number]:
                fn(collected[task.number])
                del collected[task.number], waiting[task.number]

        return hook

    return _MultiHandle([tensor.register_hook(arrived(i)) for i, tensor in enumerate(tensors)])


def on_any(tensors: Sequence[Any], fn: Callable[..., Any]) -> list[RemovableHandle]:
    """One hook, shared by all tensors, that calls ``fn`` the first time it runs in a pass."""
    last = -1

    @functools.wraps(fn)
    def hook(gradient: Any) -> None:
        nonlocal last
        if running[-1].number != last:
            last = running[-1].number
            fn(gradient)

    return [tensor.register_hook(hook) for tensor in tensors if tensor.requires_grad]


def node_of(tensor: Any) -> Node:
    """The node that a tensor's gradient goes to.

    Raises:
        AssertionError: none: it requires no grad.
    """
    node = edge_of(tensor)[0] if isinstance(tensor, GradientEdge) or tensor.requires_grad else None
    if node is None:
        raise AssertionError("Expected gradient function to be set")
    return node


def will_execute(task: GraphTask, node: Node) -> bool:
    """Whether a pass runs this node or captures its gradient.

    Raises:
        RuntimeError: for a leaf whose gradient `grad` captures.
    """
    if node not in task.dependencies and all(node is not edge[0] for edge, _ in task.roots):
        return False
    if task.captures is None or task.needed is None:
        return True
    if node in task.captures and not node.edges:
        raise RuntimeError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is currently "
            "not supported."
        )
    return node in task.needed or node in task.captures
