"""``torch.vmap``: a function of one example, applied to a batch.

The function runs once per example and the results are stacked, which is what vmap means; the mark ``_batched`` follows every value
that depends on the example, so that what PyTorch's vmap refuses (branching on such a value, writing it into a tensor that
is not per-example) is refused here too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from engine.autograd.modes import state
from engine.tensor import Tensor
from engine.transforms.trees import flatten, rebuild


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """The function on batches; ``in_dims`` says per argument which dimension is the batch (None: none).

    Raises:
        ValueError: no argument has a batch dimension, or their lengths differ.
    """

    @functools.wraps(func)
    def batched(*args: Any, **kwargs: Any) -> Any:
        leaves, shape = flatten(args)
        dims = spread(in_dims, args)
        size = batch_size(leaves, dims, getattr(func, "__name__", type(func).__name__))
        state.batch_level += 1
        state.refresh()
        try:
            rows = []
            for number in range(size):
                mine = [
                    marked(leaf.select(dim, number)) if dim is not None else leaf
                    for leaf, dim in zip(leaves, dims, strict=True)
                ]
                rows.append(flatten(func(*rebuild(shape, mine), **kwargs)))
        finally:
            state.batch_level -= 1
            state.refresh()
        output_shape = rows[0][1]
        outputs = list(zip(*(row for row, _ in rows), strict=True))
        out = (
            spread(out_dims, rebuild(output_shape, list(outputs)))
            if not isinstance(out_dims, int)
            else [out_dims] * len(outputs)
        )
        return rebuild(output_shape, [stacked(o, dim) for o, dim in zip(outputs, out, strict=True)])

    return batched


def spread(dims: Any, value: Any) -> list[int | None]:
    """One dimension per leaf, from an int, None, or a structure of them that may stop early."""
    if isinstance(dims, int) or dims is None:
        return [dims if isinstance(leaf, Tensor | tuple) else None for leaf in flatten(value)[0]]
    if isinstance(dims, dict):
        return [d for key, item in value.items() for d in spread(dims[key], item)]
    if not isinstance(value, tuple | list) or len(dims) != len(value):
        raise ValueError(
            f"vmap: in_dims is not compatible with the structure of inputs: {dims} against {len(value)} arguments"
        )
    return [d for dim, item in zip(dims, value, strict=True) for d in spread(dim, item)]


def batch_size(leaves: list[Any], dims: list[int | None], name: str) -> int:
    """The common length of the batch dimensions.

    Raises:
        ValueError: in PyTorch's words.
    """
    sizes = []
    for leaf, dim in zip(leaves, dims, strict=True):
        if dim is None:
            continue
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"vmap({name}, ...)(<inputs>): Got in_dim={dim} for an input but the input is of type {type(leaf)}."
            )
        if not -leaf.dim() <= dim < leaf.dim():
            raise ValueError(
                f"vmap({name}, in_dims={dim}, ...)(<inputs>): Got in_dim={dim} for some input, but that input is a Tensor of "
                f"dimensionality {leaf.dim()} so expected in_dim to satisfy -{leaf.dim()} <= in_dim < {leaf.dim()}."
            )
        sizes.append(leaf.shape[dim])
    if not sizes:
        raise ValueError(f"vmap({name}, in_dims={dims}, ...)(<inputs>): got no inputs to map over")
    if len(set(sizes)) > 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension"
        )
    return int(sizes[0])


def marked(tensor: Tensor) -> Tensor:
    """The tensor, known to depend on the example."""
    tensor._batched = True
    return tensor


def stacked(rows: tuple[Any, ...], dim: int | None) -> Any:
    """The examples' results along ``dim``; a result that is no tensor cannot be stacked.

    Raises:
        ValueError: in PyTorch's words.
    """
    from engine.ops.catalogue import TABLES

    if not isinstance(rows[0], Tensor):
        raise ValueError(f"vmap(...): `fn` must only return Tensors, got type {type(rows[0])} as a return.")
    if dim is None:
        return rows[0]
    made = TABLES["torch"]["stack"](rows, dim)
    made._batched = state.batch_level > 0
    return made
