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
from engine.observe import state as observing
from engine.ops.core.catalogue import TABLES
from engine.ops.random.state import default_generator
from engine.tensor import Tensor
from engine.transforms.trees import flatten, rebuild, spec, spread
from engine.transforms.vmap_session import Session


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
        ValueError: no argument has a batch dimension, or their lengths differ; chunks of no size; results that are no tensors.
        RuntimeError: an unknown kind of randomness.
    """
    check_randomness(randomness)
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")
    name = getattr(func, "__name__", type(func).__name__)

    @functools.wraps(func)
    def batched(*args: Any, **kwargs: Any) -> Any:
        leaves, shape = flatten(args)
        dims = checked_dims(in_dims, args, leaves, name)
        size = batch_size(leaves, dims)
        if not size:  # the shapes of the results are those of any example's
            leaves = [leaf if dim is None else example_of(leaf, dim) for leaf, dim in zip(leaves, dims, strict=True)]
        elif (listener := observing.listener) is not None:
            pairs = [(leaf, dim) for leaf, dim in zip(leaves, dims, strict=True) if isinstance(leaf, Tensor)]
            mapped = [(leaf, dim % leaf.dim()) for leaf, dim in pairs if dim is not None]
            listener.mapping(size, mapped, [leaf for leaf, dim in pairs if dim is None])

        def one(example: list[Any]) -> Any:
            return flatten(func(*rebuild(shape, example), **kwargs))

        drawn_from, rows = default_generator.get_state(), []
        whole = not size or chunk_size is None or chunk_size >= size
        for start in range(0, max(size, 1), chunk_size or max(size, 1)):
            if randomness == "same":
                default_generator.set_state(drawn_from)
            session = Session(one, *chunk(leaves, dims, start, chunk_size), randomness)
            rows += session.run()
        output_shape = rows[0][1]
        outputs = list(zip(*(row for row, _ in rows), strict=True))
        for output in outputs:
            if not isinstance(output[0], Tensor):
                raise ValueError(
                    f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(output[0])}. Did you mean to set "
                    "out_dims= to None for output?"
                )
        out = checked_out_dims(out_dims, rebuild(output_shape, [row[0] for row in outputs]), name)
        given = [session.origin(last) if whole else None for last in rows[-1][0]]
        made = [
            stacked(output, dim, name)
            if origin is None or dim is None or (batch := dims[origin]) is None
            else moved(leaves[origin], batch, dim)
            for output, origin, dim in zip(outputs, given, out, strict=True)
        ]
        if not size:
            made = [each if dim is None else each.narrow(dim, 0, 0) for each, dim in zip(made, out, strict=True)]
        return rebuild(output_shape, made)

    return batched


def example_of(leaf: Tensor, dim: int) -> Tensor:
    """A batch of one example, for a batch of none."""
    shape = list(leaf.shape)
    shape[dim] = 1
    made: Tensor = leaf.new_zeros(shape)
    return made


RANDOMNESS = ("error", "different", "same")


def check_randomness(randomness: str) -> None:
    """Raises RuntimeError: there is no such kind of randomness."""
    if randomness not in RANDOMNESS:
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")


def chunk(
    leaves: list[Any], dims: list[int | None], start: int, length: int | None
) -> tuple[list[Any], list[int | None], int]:
    """The batch from one example on, at most ``length`` of them (None: all), and how many they are."""
    if length is None:
        return leaves, dims, batch_size(leaves, dims)
    count = min(length, batch_size(leaves, dims) - start)
    parts = [leaf if dim is None else leaf.narrow(dim, start, count) for leaf, dim in zip(leaves, dims, strict=True)]
    return parts, dims, count


def checked_dims(in_dims: Any, args: tuple[Any, ...], leaves: list[Any], name: str) -> list[int | None]:
    """The batch dimension of every leaf of the arguments.

    Raises:
        ValueError: in PyTorch's words.
    """
    where = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, int | tuple):
        raise ValueError(
            f"{where}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: "
            f"{type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function "
            "with no inputs. The latter is unsupported."
        )
    dims = spread(in_dims, args)
    if dims is None:
        raise ValueError(
            f"{where}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{spec(flatten(in_dims)[1])} but inputs has structure {spec(flatten(args)[1])}."
        )
    for leaf, dim in zip(leaves, dims, strict=True):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(
                f"{where}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
            )
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"{where}Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over non-Tensor "
                "arguments, please use None as the respective in_dim"
            )
        if not -leaf.dim() <= dim < leaf.dim():
            raise ValueError(
                f"{where}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {leaf.dim()} so expected "
                f"in_dim to satisfy -{leaf.dim()} <= in_dim < {leaf.dim()}."
            )
    return dims


def batch_size(leaves: list[Any], dims: list[int | None]) -> int:
    """The common length of the batch dimensions.

    Raises:
        ValueError: there is none, or they differ.
    """
    sizes = [leaf.shape[dim] for leaf, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension"
        )
    return int(sizes[0])


def checked_out_dims(out_dims: Any, outputs: Any, name: str) -> list[int | None]:
    """Where each output's batch dimension goes.

    Raises:
        ValueError: in PyTorch's words.
    """
    if not (out_dims is None or isinstance(out_dims, int | tuple | list | dict)):
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints representing "
            "where in the outputs the vmapped dimension should appear."
        )
    if isinstance(out_dims, tuple) and len(out_dims) == 1 and isinstance(outputs, Tensor):
        out_dims = out_dims[0]
    dims = spread(out_dims, outputs)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of `outputs`. out_dims has "
            f"structure {spec(flatten(out_dims)[1])} but outputs has structure {spec(flatten(outputs)[1])}."
        )
    return dims


def moved(batch: Tensor, source: int, dim: int) -> Any:
    """A batch that the function handed back as it is: the very tensor, or a view where its dimension goes elsewhere."""
    return batch if source % batch.dim() == dim % batch.dim() else TABLES["torch"]["movedim"](batch, source, dim)


def stacked(rows: tuple[Any, ...], dim: int | None, name: str) -> Any:
    """The examples' results along ``dim``; one that is the same tensor for all of them is only seen so often.

    Raises:
        ValueError: a per-example result is asked for without a batch dimension.
        RuntimeError: the results differ in shape.
    """
    if dim is None:
        if rows[0]._batched:
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return rows[0]
    if not rows[0]._batched and all(row is rows[0] for row in rows):
        shape = list(rows[0].shape)
        shape.insert(dim % (len(shape) + 1), len(rows))
        return rows[0].expand(shape)
    if len({row._array.shape for row in rows}) > 1:
        raise RuntimeError(
            "vmap: We do not support batching operators that can output dynamic shape: the examples' results have shapes "
            f"{', '.join(str(list(row._array.shape)) for row in rows)}."
        )
    made = TABLES["torch"]["stack"](rows, dim)
    made._batched = state.batch_level > 0
    return made
