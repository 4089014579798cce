"""``torch.func``'s Jacobians: by rows, one backward pass for each output element."""

from __future__ import annotations

import functools
from typing import Any

from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor
from engine.transforms.aliases import (
    Argnums,
    Function,
    chosen,
    gradients,
    outer_leaves,
    settled,
    together,
    transforming,
)
from engine.transforms.dual import check_differentiable
from engine.transforms.func import jvp
from engine.transforms.func_checks import (
    REAL_OR_COMPLEX,
    checked_argnums,
    checked_outputs,
    refuse_complex,
    refuse_whole_numbers,
    with_extra,
)
from engine.transforms.layers import layer
from engine.transforms.trees import flatten, rebuild


def jacrev(
    func: Function, argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None, **_: Any
) -> Function:
    """A function that returns the Jacobian, one backward pass per output element.

    Raises:
        ValueError: a chunk size that is not positive.
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")
    return jacobian_by_rows(func, argnums, has_aux, "jacrev")


def jacobian_by_rows(func: Function, argnums: Argnums, has_aux: bool, asked: str) -> Function:
    """The Jacobian, one backward pass per output element.

    Args:
        asked: the transform that the person asked for, ``jacrev`` or ``jacfwd``: PyTorch words what it refuses by that.
    """
    whose = "vjp(f, *primals)" if asked == "jacrev" else "jvp(f, primals, tangents)"

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        with transforming("jacrev"):
            picked = chosen(args, argnums, kwargs)
            refuse_complex(picked.aliases, asked, "inputs")
            output, extra = with_extra(func(*picked.arguments, **kwargs), has_aux, whose)
            outputs, output_shape = flatten(output)
            checked_outputs(outputs, f"{whose}: expected f(*primals)")
            refuse_complex(outputs, asked, "outputs")
            if asked == "jacrev":
                refuse_whole_numbers(outputs)
            connected = outer_leaves(outputs)
            blocks = [rebuild(picked.shape, settled(rows_of(o, picked.aliases), connected)) for o in outputs]
        made = rebuild(output_shape, blocks)
        return (made, picked.extra(extra, connected)) if has_aux else made

    return jacobian


def rows_of(output: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    """The Jacobian of one output: ``output.shape + input.shape`` per input; of an output of whole numbers, whole zeros."""
    if output._array.dtype.kind not in REAL_OR_COMPLEX:
        return [i.new_zeros((*output.shape, *i.shape), dtype=output.dtype) for i in inputs]
    flat = output.reshape(-1)
    rows = [gradients([flat[j]], inputs, [flat.new_ones(())]) for j in range(flat.numel())]
    return [
        (stack([row[n] for row in rows]) if rows else i.new_zeros((0, *i.shape))).reshape((*output.shape, *i.shape))
        for n, i in enumerate(inputs)
    ]


def stack(tensors: list[Tensor]) -> Tensor:
    """``torch.stack`` along a new first dimension."""
    made: Tensor = TABLES["torch"]["stack"](tensors, 0)
    return made


def jacfwd(func: Function, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """A function that returns the Jacobian: the numbers of `jacrev`, but for custom Functions with a ``jvp`` of their own."""
    from engine.transforms import columns  # here, since few programs ask for Jacobians

    by_rows = jacobian_by_rows(columns.watched(func), argnums, has_aux, "jacfwd")

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        for number in checked_argnums(argnums, len(args)):
            for leaf in flatten(args[number])[0]:
                if isinstance(leaf, Tensor):
                    check_differentiable(leaf, leaf)
        try:
            with layer(tracks=False):  # the vmap over the directions
                return by_rows(*args, **kwargs)
        except columns.HasOwnJvp:
            numbers = checked_argnums(argnums, len(args))

        def put_back(*given: Any) -> tuple[Any, ...]:
            replaced = dict(zip(numbers, given, strict=True))
            return tuple(replaced.get(number, argument) for number, argument in enumerate(args))

        picked = tuple(args[number] for number in numbers)
        block_shape = together(argnums, [flatten(argument)[1] for argument in picked])
        return columns.jacobian_by_columns(jvp, func, picked, put_back, block_shape, has_aux, kwargs)

    return jacobian


def hessian(func: Function, argnums: Argnums = 0) -> Function:
    """A function that returns the Hessian."""
    return jacfwd(jacrev(func, argnums), argnums)
