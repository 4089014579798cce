"""``torch.utils.swap_tensors``: two tensors become each other, for everybody who has one of them."""

from __future__ import annotations

import weakref
from typing import Any

from engine.observe import state as observing
from engine.tensor import Tensor


def swap_tensors(t1: Any, t2: Any) -> None:
    """Exchanges class, storage, place in the graph, gradient, hooks and attributes.

    Raises:
        RuntimeError: somebody refers weakly to one of them. (Not while somebody listens, who refers to every tensor so.)
        AttributeError: one of them is no tensor.
    """
    pair = (t1, t2)
    for name, tensor in zip(("t1", "t2"), pair, strict=True):
        if not isinstance(tensor, Tensor):
            raise AttributeError(f"'{type(tensor).__name__}' object has no attribute '_use_count'")
        if observing.listener is None and weakref.getweakrefcount(tensor):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for tensor in pair:
        node = tensor._accumulator() if tensor._accumulator is not None else None
        if node is not None:
            node.variable = tensor
        if observing.listener is not None:
            version = 0 if tensor._counter is None else tensor._counter.value
            observing.listener.written(tensor, "swap_tensors", version, version, None)
