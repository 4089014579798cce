"""The transforms at work, as PyTorch stacks them: what is computed inside one is wrapped by it, and prints so.

Here values stay plain tensors. Each knows the innermost layer that was at work when it came to be (`Tensor._layer`), which says
what PyTorch would have wrapped around it: ``GradTrackingTensor(lvl=1, value=…)``.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from engine.autograd.accumulate_grad import AccumulateGrad
from engine.autograd.modes import state
from engine.autograd.node import Node
from engine.ops.tensors.showing import described
from engine.tensor import Tensor

NUMBERS = itertools.count(1)
Whole = Callable[[Tensor], tuple[Tensor, int]]


class Layer(NamedTuple):
    """A transform at work."""

    number: int
    """The later it began, the higher."""
    whole: Whole | None
    """Inside vmap: one example's value as the whole batch, and which of its dimensions is the batch."""
    tracks: bool
    """Whether it wraps everything; vmap wraps only what differs per example."""
    size: int = 0
    """Inside vmap: how many examples there are."""

    def wraps(self, tensor: Tensor) -> bool:
        """Whether the tensor is more than itself to it, wherever it came to be inside."""
        return self.tracks and tensor._layer >= self.number

    def describe(self, tensor: Tensor) -> str:
        """``repr`` of a tensor while this is the innermost layer."""
        levels = [(level, layer) for level, layer in enumerate(state.layers, 1) if layer.number <= tensor._layer]
        return wrapped(tensor, tensor, levels)


@contextmanager
def layer(whole: Whole | None = None, tracks: bool = True, size: int = 0) -> Iterator[None]:
    """One more transform at work inside."""
    before = state.layers
    state.layers = [*before, Layer(next(NUMBERS), whole, tracks, size)]
    state.refresh()
    try:
        yield
    finally:
        state.layers = before
        state.refresh()


def wrapped(values: Tensor, facts: Tensor, levels: list[tuple[int, Layer]]) -> str:
    """The text of a tensor within these levels, outermost first.

    Args:
        values: what is shown, which may be a whole batch.
        facts: the tensor whose place in the graph is told.
    """
    if not levels:
        requires_grad, node = outermost(facts)
        return described(values, requires_grad, node)
    *outer, (level, layer) = levels
    if layer.tracks:
        return indented(f"GradTrackingTensor(lvl={level}, value=", wrapped(values, facts, outer))
    if layer.whole is None or not facts._batched:
        return wrapped(values, facts, outer)
    batch, dim = layer.whole(values)
    given = batch._layer < layer.number
    return indented(f"BatchedTensor(lvl={level}, bdim={dim}, value=", wrapped(batch, batch if given else facts, outer))


def indented(opening: str, text: str) -> str:
    """A wrapper's text around the text of what it wraps."""
    return f"{opening}\n{textwrap.indent(text, '    ')}\n)"


UNDER_WAY: list[list[Tensor]] = []
"""Per derivative at work: the stand-ins that it, and those that have run inside of it, made for their arguments."""


def outermost(tensor: Tensor) -> tuple[bool, Node | None]:
    """Whether the tensor requires grad, and its node, as things stand outside of all transforms."""
    stand_ins = [stand_in for made in UNDER_WAY for stand_in in made]
    own = {id(stand_in) for stand_in in stand_ins}
    node = tensor.grad_fn
    if node is None:
        return tensor.requires_grad and id(tensor) not in own, None
    copies = {id(stand_in._node) for stand_in in stand_ins}
    while node is not None and id(node) in copies:
        node = node.edges[0][0]
    if isinstance(node, AccumulateGrad):
        return id(node.variable) not in own, None
    return (True, node) if node is not None and reach_out([node], own) else (False, None)


def reach_out(nodes: Iterable[Node], own: set[int]) -> bool:
    """Whether a leaf that is none of these (ids) stands behind one of the nodes."""
    seen, waiting = set(), list(nodes)
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, AccumulateGrad) and id(node.variable) not in own:
            return True
        waiting += [receiver for receiver, _ in node.edges if receiver is not None]
    return False
