"""Derivatives as PyTorch records them when the gradient gets a graph of its own (``create_graph=True``).

Ours are written in elementary operators, so that they can be read and differentiated. Some of PyTorch's are kernels: then the
gradient's graph holds one node, ``TanhBackwardBackward0``, where ours would hold three. An operator that says so here uses the
kernel, an operator of its own, while derivatives are recorded, and the elementary form everywhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.ops.core.operator import Operator


def recorded(operator: Operator, **derivatives: Callable[..., Any]) -> None:
    """Declares what stands in for an operator's derivatives while they are recorded, by argument name.

    ``joint`` is one stand-in for all of them, for a kernel that gives all gradients at once: its node then keeps what it asks for
    whichever gradients are wanted. A stand-in may ask for what the node saves anyway, nothing more.
    """
    operator.recorded = derivatives
