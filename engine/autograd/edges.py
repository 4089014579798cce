"""What a backward pass starts from and aims at: tensors, or gradient edges (``torch.autograd.graph.get_gradient_edge``)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from engine.autograd.accumulate_grad import AccumulateGrad
from engine.autograd.currency import currency
from engine.autograd.modes import state as modes
from engine.autograd.node import Edge
from engine.dtype import BY_ARRAY
from engine.size import Size


class GradientEdge(NamedTuple):
    """Where a tensor's gradient goes: a node, and which of its outputs the tensor is."""

    node: Any
    output_nr: int
    ownership_token: Any = None

    @property
    def requires_grad(self) -> bool:
        """An edge stands for something that requires grad."""
        return True

    @property
    def array_shape(self) -> tuple[int, ...]:
        """Shape of the forward output."""
        return tuple(self.node.shapes[self.output_nr])

    @property
    def array_dtype(self) -> np.dtype[Any]:
        """Numpy dtype of the forward output."""
        return self.node.dtypes[self.output_nr]


GradientEdge.__module__ = "torch.autograd.graph"


def edge_of(end: Any) -> Edge:
    """The edge along which the gradient of a tensor (or the edge itself) travels."""
    if isinstance(end, GradientEdge):
        return (end.node, end.output_nr)
    edge: Edge = end._gradient_edge()
    return edge


def tensors_among(ends: list[Any]) -> list[Any]:
    """The tensors, for the listener: an edge to a leaf is that leaf, other edges have no tensor."""
    known = [end.node.variable if is_leaf_edge(end) else end for end in ends]
    return [end for end in known if not isinstance(end, GradientEdge)]


def is_leaf_edge(end: Any) -> bool:
    """Whether it is an edge to a leaf."""
    return isinstance(end, GradientEdge) and isinstance(end.node, AccumulateGrad)


def listed(ends: Any) -> list[Any]:
    """One or several tensors or edges as a list.

    Raises:
        TypeError: for something that cannot be listed.
    """
    if ends is None:
        return []
    if isinstance(ends, GradientEdge) or hasattr(ends, "_gradient_edge"):
        return [ends]
    return list(ends)


def targets_of(inputs: Any, function: str) -> list[Any]:
    """The tensors and edges asked for, also out of a dictionary.

    Raises:
        TypeError: for another mapping than a dictionary.
        RuntimeError: there is none.
    """
    if type(inputs) is dict:
        targets = list(inputs.values())
    elif isinstance(inputs, Mapping):
        raise TypeError(
            f"`inputs` argument to `{function}()` must be a dict, not {type(inputs).__name__}. Other Mapping types are not "
            "supported."
        )
    else:
        targets = listed(inputs)
    if not targets:
        raise RuntimeError(f"`inputs` argument to `{function}()` cannot be empty.")
    return targets


def target_edge(target: Any) -> Edge:
    """Where the gradient of an input arrives.

    Raises:
        RuntimeError: it is no tensor, or does not require grad.
    """
    if not isinstance(target, GradientEdge) and not hasattr(target, "_gradient_edge"):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(target).__name__}")
    if not target.requires_grad:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge_of(target)


def shape_and_dtype(root: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Of the forward output that a root stands for."""
    if isinstance(root, GradientEdge):
        return root.array_shape, root.array_dtype
    return root._array.shape, root._array.dtype


def seeds_of(roots: list[Any], gradients: Any) -> list[Any]:
    """One gradient per root: the one given (``gradients`` is one, several or None), or 1 for a scalar.

    Raises:
        RuntimeError: a gradient is missing or does not fit its root, or a root does not require grad.
        TypeError: a gradient is no tensor.
        AssertionError: a root is no tensor.
    """
    if gradients is None and len(roots) == 1:
        root = roots[0]
        if getattr(root, "_node", None) is not None and root._base is None:
            return [implicit_seed(root)]  # the usual case
    if not all(isinstance(root, GradientEdge) or hasattr(root, "_gradient_edge") for root in roots):
        raise AssertionError("Expected output to be a torch.Tensor")
    seeds = []
    given = [None] * len(roots) if gradients is None else listed(gradients)
    for index, (root, seed) in enumerate(zip(roots, given, strict=False)):  # PyTorch ignores those that are too many
        if seed is None:
            seeds.append(implicit_seed(root) if root.requires_grad else None)
        elif hasattr(seed, "_array"):
            check_seed(index, root, seed)
            seeds.append(seed)
        else:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(seed).__name__}")
    if len(given) < len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
    for index, root in enumerate(roots):
        if not root.requires_grad or (not isinstance(root, GradientEdge) and root._gradient_edge()[0] is None):
            raise RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn")
    return seeds


def implicit_seed(root: Any) -> Any:
    """The gradient 1 that a scalar starts from.

    Raises:
        RuntimeError: the root has more elements than one, or is not real.
    """
    shape, array_dtype = shape_and_dtype(root)
    if math.prod(shape) != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if array_dtype.kind not in "fV":
        raise RuntimeError(
            f"grad can be implicitly created only for real scalar outputs but got {BY_ARRAY[array_dtype]}"
        )
    return currency.wrap(np.ones(shape, array_dtype)[()]) if isinstance(root, GradientEdge) else root._ones()


def check_seed(index: int, root: Any, seed: Any) -> None:
    """Raises RuntimeError: the gradient's shape is not the root's, or only one of the two is complex."""
    shape, array_dtype = shape_and_dtype(root)
    if seed._array.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{index}] has a shape of {seed.shape} and output[{index}] has a shape of {Size(shape)}."
        )
    if modes.meta_met and hasattr(root, "device") and root.device != seed.device:
        raise RuntimeError(f"invalid gradient at index {index} - expected device {root.device} but got {seed.device}")
    if (seed._array.dtype.kind == "c") != (array_dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{index}] has a dtype of {seed.dtype} and output[{index}] has a dtype of {BY_ARRAY[array_dtype]}."
        )
