"""Entry points of the backward pass: ``backward`` and ``grad``."""

from __future__ import annotations

import warnings
import weakref
from contextlib import nullcontext
from typing import Any

from engine.autograd.edges import edge_of, listed, seeds_of, target_edge, targets_of, tensors_among
from engine.autograd.engine import execute
from engine.autograd.modes import state as modes
from engine.autograd.node import Node
from engine.autograd.pass_log import is_logging, logged
from engine.autograd.task import Captures
from engine.errors import as_flag
from engine.observe import state as observing
from engine.warned import warn_once

REFERENCE_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can cause "
    "a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this function, make "
    "sure to reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak."
)
ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts of the graph, "
    "please use torch.autograd.backward."
)
UNLOGGED = nullcontext()


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
    refuse_inside_transforms()
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=3)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use "
                "`grad_tensors`."
            )
        grad_tensors = grad_variables
    targets = None if inputs is None else targets_of(inputs, "backward")
    refuse_nothing(tensors)
    roots = listed(tensors)
    seeds = seeds_of(roots, grad_tensors)
    create_graph = as_flag(create_graph)
    keep = create_graph if retain_graph is None else as_flag(retain_graph)
    captures: Captures | None = None
    accumulate: list[Node] = []
    for target in targets or ():
        if hasattr(target, "retain_grad"):
            target.retain_grad()
        captures = {}
        node = target_edge(target)[0]
        if node is not None:  # a view that requires grad only through its base has no node to send to
            accumulate.append(node)
    edges = [edge_of(root) for root in roots]
    if create_graph:
        warn_once(REFERENCE_CYCLE, stacklevel=3)
    listener = observing.listener
    if listener is not None:
        asked = None if targets is None else tensors_among(targets)
        listener.backward_started("backward", tensors_among(roots), seeds, keep, create_graph, asked)
    try:
        with logged(edges) if is_logging() else UNLOGGED:
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
) -> Any:
    """``torch.autograd.grad``: returns gradients of ``outputs`` with respect to ``inputs``; no ``.grad`` is touched.

    A tuple, or for a dictionary of inputs a dictionary with the same keys.

    Raises:
        RuntimeError: as `backward`; also when an input was not used and neither ``allow_unused`` nor
            ``materialize_grads`` is set.
        ValueError: ``materialize_grads`` without ``allow_unused``.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    allow_unused = materialize_grads if allow_unused is None else as_flag(allow_unused)
    refuse_nothing(outputs, inputs)
    roots, targets = listed(outputs), targets_of(inputs, "grad")
    if not only_inputs:
        warnings.warn(ONLY_INPUTS, FutureWarning, stacklevel=3)
    seeds = seeds_of(roots, grad_outputs)
    create_graph = as_flag(create_graph)
    keep = (create_graph if retain_graph is None else as_flag(retain_graph)) or modes.graphs_kept
    captures = captures_of(targets)
    edges = [edge_of(root) for root in roots]
    listener = observing.listener
    if listener is not None:
        listener.backward_started("grad", tensors_among(roots), seeds, keep, create_graph, tensors_among(targets))
    try:
        with logged(edges) if is_logging() else UNLOGGED:
            found = execute(list(zip(edges, seeds, strict=True)), keep, create_graph, captures)
        gradients = [found.get(place) for place in range(len(targets))]
        if not allow_unused:
            require_used(gradients)
        if materialize_grads:
            gradients = [
                zeros_for(target, create_graph) if gradient is None else gradient
                for target, gradient in zip(targets, gradients, strict=True)
            ]
        if listener is not None:
            for target, gradient in zip(targets, gradients, strict=True):
                for tensor in tensors_among([target]):
                    listener.gradient_returned(tensor, gradient)
    finally:
        if listener is not None:
            listener.backward_ended(not keep)
    if type(inputs) is dict:
        return dict(zip(inputs, gradients, strict=True))
    return tuple(gradients)


def refuse_nothing(*given: Any) -> None:
    """Raises TypeError: None where tensors must stand."""
    if any(value is None for value in given):
        raise TypeError("'NoneType' object is not iterable")


def captures_of(targets: list[Any]) -> Captures:
    """Where in the graph each target's gradient is picked up, by node: its output number, and the target's place."""
    captures: Captures = {}
    for place, target in enumerate(targets):
        node, input_nr = target_edge(target)
        if node is not None:
            captures.setdefault(node, []).append((input_nr, place))
    return captures


def require_used(gradients: list[Any]) -> None:
    """Raises RuntimeError: no gradient came to one of the inputs."""
    for place, gradient in enumerate(gradients):
        if gradient is None:
            raise RuntimeError(
                f"The differentiated Tensor at index {place} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )


def zeros_for(target: Any, requires_grad: bool) -> Any:
    """Zeros in place of the gradient of an input that was not used.

    Raises:
        RuntimeError: the input is an edge.
    """
    if not hasattr(target, "_array"):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    return target.new_zeros(target.shape)._tracked(requires_grad)


def refuse_inside_transforms() -> None:
    """Raises RuntimeError: a ``torch.func`` transform is at work, which cannot see what ``backward`` accumulates."""
    if modes.layers:
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
            "instead or call backward() outside of functorch transforms."
        )


def retain(node: Node, tensor: Any) -> None:
    """Makes ``node`` hand the complete gradient of its output ``tensor`` to it, without keeping the tensor alive."""
    if node.retained is None:
        node.retained = {}
    node.retained[tensor._output_nr] = weakref.ref(tensor)
    node.hooked = True
