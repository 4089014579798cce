"""The log ``torch.autograd.graph``: at level DEBUG it gets a line for every node that a backward pass runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from engine.autograd.node import Edge, Node
from engine.autograd.running import running
from engine.dtype import BY_ARRAY

NAME = "torch.autograd.graph"
DEBUG = 10
"""``logging.DEBUG``, without importing ``logging``."""


def is_logging() -> bool:
    """Whether anybody listens: nobody can who has not imported ``logging``."""
    module = sys.modules.get("logging")
    return module is not None and bool(module.getLogger(NAME).isEnabledFor(DEBUG))


@contextmanager
def logged(edges: Sequence[Edge]) -> Iterator[None]:
    """A pass from these edges inside writes its lines."""
    log = sys.modules["logging"].getLogger(NAME)

    def tell(gradients: Sequence[Any]) -> None:
        log.debug("Executing: %s with grad_outputs: [%s]", running[-1].node, ",".join(map(in_short, gradients)))

    handles = [node.register_prehook(tell) for node in reachable([node for node, _ in edges if node is not None])]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def reachable(roots: Sequence[Node]) -> list[Node]:
    """All nodes that gradients can travel to."""
    found = dict.fromkeys(roots)
    queue = list(found)
    while queue:
        for node, _ in queue.pop().edges:
            if node is not None and node not in found:
                found[node] = None
                queue.append(node)
    return list(found)


def in_short(gradient: Any) -> str:
    """A gradient's type and shape, as ``f32[2, 3]``."""
    if gradient is None:
        return "None"
    array = gradient._array
    name = BY_ARRAY[array.dtype].name
    kind = "b8" if name == "bool" else name.replace("bfloat", "bf").replace("float", "f").replace("complex", "c")
    kind = kind.replace("uint", "u").replace("int", "i")
    return f"{kind}[{', '.join(map(str, array.shape))}]"
