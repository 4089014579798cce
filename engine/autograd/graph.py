"""``torch.autograd.graph``: the graph as an object, and hooks on what it saves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from engine.autograd import node as nodes
from engine.autograd.delayed_error import DelayedError
from engine.autograd.edges import GradientEdge, edge_of
from engine.autograd.multi_hook import register_multi_grad_hook
from engine.autograd.saved_hooks import (
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from engine.autograd.saved_mutation import allow_mutation_on_saved_tensors
from engine.observe import state as observing


class Node(ABC):
    """``torch.autograd.graph.Node``: what every ``grad_fn`` is an instance of; nobody makes one by hand."""

    @abstractmethod
    def name(self) -> str:
        """The node's name."""
        raise NotImplementedError

    @property
    @abstractmethod
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Where gradients go."""

    @abstractmethod
    def metadata(self) -> dict[str, Any]:
        """A dictionary for the person's own notes."""

    @abstractmethod
    def register_hook(self, fn: Any) -> Any:
        """Runs ``fn`` after the node."""

    @abstractmethod
    def register_prehook(self, fn: Any) -> Any:
        """Runs ``fn`` before the node."""

    @property
    @abstractmethod
    def _input_metadata(self) -> list[Any]:
        """Shape and dtype of each forward output."""

    @abstractmethod
    def _sequence_nr(self) -> int:
        """When the node was made, counted in nodes."""

    @staticmethod
    @abstractmethod
    def _register_hook_dict(tensor: Any) -> None:
        """PyTorch's way to share a tensor's hooks with its node."""


Node.__module__ = "torch.autograd.graph"
Node.register(nodes.Node)
Node.register(DelayedError)


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The edge of a tensor that requires grad; for a leaf, its AccumulateGrad.

    Raises:
        RuntimeError: for a tensor that does not require grad.
        AssertionError: for one that requires grad and has nowhere to send it.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node, output_nr = edge_of(tensor)
    if node is None:
        raise AssertionError("Expected gradient function to be set")
    return GradientEdge(node, output_nr)


def increment_version(tensor: Any) -> None:
    """Raises the version of one tensor or of several, as an in-place write would.

    Raises:
        RuntimeError: neither a tensor nor tensors to walk through.
    """
    if not isinstance(tensor, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    several: list[Any] = [tensor] if hasattr(tensor, "_touch") else list(tensor)
    if not all(hasattr(one, "_touch") for one in several):
        raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
    for one in several:
        one._touch()
        if observing.listener is not None:
            after = one._counter.value
            observing.listener.written(one, "increment_version", after - 1, after, None)


@contextmanager
def preserve_version(tensors: Any) -> Iterator[None]:
    """Writes inside go unnoticed: afterwards the tensors have the versions they had before."""
    several = [tensors] if hasattr(tensors, "_touch") else list(tensors)
    versions = [tensor._version for tensor in several]
    try:
        yield
    finally:
        for tensor, version in zip(several, versions, strict=True):
            set_version(tensor, version, "_unsafe_preserve_version_counter")


def set_version(tensor: Any, version: int, why: str) -> None:
    """Gives a tensor's storage another version; the listener hears ``why`` (a function's name) if it is a new one."""
    before = tensor._version
    if version == before:
        return
    tensor._touch()  # which makes the counter, where there was none
    tensor._counter.value = version
    if observing.listener is not None:
        observing.listener.written(tensor, why, before, version, None)


def region_activation_memory_budget(budget: float) -> Any:
    """How much of a compiled region's activations to keep: for ``torch.compile`` only.

    Raises:
        TypeError, ValueError: no share of one.
        RuntimeError: always, since nothing is compiled here.
    """
    name = "torch.autograd.graph.region_activation_memory_budget"
    if not isinstance(budget, float):
        raise TypeError(f"{name}: expects a float, got {type(budget).__name__}")
    if not 0 <= budget <= 1:
        raise ValueError(f"{name}: must be in [0, 1], got {budget}")
    raise RuntimeError(f"{name} can only be used inside a torch.compile region; it has no effect in eager mode.")


__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "region_activation_memory_budget",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]
