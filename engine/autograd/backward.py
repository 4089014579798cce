"""Entry points of the backward pass: ``backward`` and ``grad``."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence
from typing import Any

from engine.autograd.engine import execute
from engine.autograd.node import Edge, Node
from engine.autograd.task import Captures
from engine.observe import state as observing

REFERENCE_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can cause "
    "a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this function, make "
    "sure to reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak."
)


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """``torch.autograd.backward``: accumulates into ``.grad`` of the leaves (or of ``inputs`` only).

    Raises:
        RuntimeError: a root does not require grad, is not a scalar and got no gradient, or the graph was freed.
    """
    roots = _listed(tensors)
    seeds = _seeds(roots, _listed(grad_tensors if grad_variables is None else grad_variables))
    keep = create_graph if retain_graph is None else retain_graph
    targets = None if inputs is None else _listed(inputs)
    if targets is not None and not targets:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    captures: Captures | None = None
    accumulate: list[Node] = []
    if targets is not None:
        captures = {}
        for target in targets:
            target.retain_grad()
            node = _edge_of_input(target)[0]
            assert node is not None
            accumulate.append(node)
    edges = [root._gradient_edge() for root in roots]
    if create_graph:
        warnings.warn(REFERENCE_CYCLE, UserWarning, stacklevel=3)
    listener = observing.listener
    if listener is not None:
        listener.backward_started("backward", roots, seeds, keep, create_graph, targets)
    try:
        execute(list(zip(edges, seeds, strict=True)), keep, create_graph, captures, accumulate)
    finally:
        if listener is not None:
            listener.backward_ended(not keep)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """``torch.autograd.grad``: returns gradients of ``outputs`` with respect to ``inputs``; no ``.grad`` is touched.

    Raises:
        RuntimeError: as `backward`; also when an input was not used and neither ``allow_unused`` nor
            ``materialize_grads`` is set.
    """
    roots, targets = _listed(outputs), _listed(inputs)
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    seeds = _seeds(roots, _listed(grad_outputs))
    keep = create_graph if retain_graph is None else retain_graph
    captures: Captures = {}
    for place, target in enumerate(targets):
        node, input_nr = _edge_of_input(target)
        assert node is not None
        captures.setdefault(node, []).append((input_nr, place))
    edges = [root._gradient_edge() for root in roots]
    listener = observing.listener
    if listener is not None:
        listener.backward_started("grad", roots, seeds, keep, create_graph, targets)
    try:
        found = execute(list(zip(edges, seeds, strict=True)), keep, create_graph, captures)
        gradients = [found.get(place) for place in range(len(targets))]
        for place, gradient in enumerate(gradients):
            if gradient is None and not allow_unused:
                raise RuntimeError(
                    f"The differentiated Tensor at index {place} appears to not have been used in the graph. "
                    "Set allow_unused=True if this is the desired behavior."
                )
        if materialize_grads:
            gradients = [
                target.new_zeros(target.shape) if gradient is None else gradient
                for target, gradient in zip(targets, gradients, strict=True)
            ]
        if listener is not None:
            for target, gradient in zip(targets, gradients, strict=True):
                listener.gradient_returned(target, gradient)
    finally:
        if listener is not None:
            listener.backward_ended(not keep)
    return tuple(gradients)


def retain(node: Node, tensor: Any) -> None:
    """Makes ``node`` hand the complete gradient of its output ``tensor`` to it, without keeping the tensor alive."""
    if node.retained is None:
        node.retained = {}
    node.retained[tensor._output_nr] = weakref.ref(tensor)
    node.hooked = True


def _listed(tensors: Any) -> list[Any]:
    if tensors is None:
        return []
    if not isinstance(tensors, Sequence) and not hasattr(tensors, "_gradient_edge"):
        raise TypeError(f"'{type(tensors).__name__}' object is not iterable")
    return list(tensors) if isinstance(tensors, Sequence) else [tensors]


def _seeds(roots: list[Any], given: list[Any]) -> list[Any]:
    """One gradient per root: the one given, or 1 for a scalar."""
    if given and len(given) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
    seeds = []
    for index, root in enumerate(roots):
        seed = given[index] if given else None
        if seed is None:
            if root.requires_grad:
                if root._array.size != 1:
                    raise RuntimeError("grad can be implicitly created only for scalar outputs")
                if root.dtype.category < 2:
                    raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {root.dtype}")
                seed = root._ones()
        elif seed._array.shape != root._array.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{index}] has a shape of {seed.shape} and output[{index}] has a shape "
                f"of {root.shape}."
            )
        seeds.append(seed)
    for index, root in enumerate(roots):
        if not root.requires_grad:
            raise RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn")
    return seeds


def _edge_of_input(target: Any) -> Edge:
    if not target.requires_grad:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    edge: Edge = target._gradient_edge()
    return edge
