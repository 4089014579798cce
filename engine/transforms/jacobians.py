"""``torch.func``'s Jacobians, in one run of the function: `jacrev` row by row, `jacfwd` column by column.

Both give the same numbers, but for what becomes of infinities and of the signs of zeros.
"""

from __future__ import annotations

import functools
from contextlib import nullcontext
from typing import Any

from engine.ops.core.catalogue import TABLES
from engine.ops.random.state import drawing_refused
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
from engine.transforms.vmap import check_randomness
from engine.transforms.vmap_session import REFUSES_DRAWS


def jacrev(
    func: Function, argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None, **_: Any
) -> Function:
    """A function that returns the Jacobian, one backward pass per output element.

    Raises:
        ValueError: a chunk size that is not positive.
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")
    return jacobian_in_one_run(func, argnums, has_aux, "jacrev")


def jacobian_in_one_run(func: Function, argnums: Argnums, has_aux: bool, asked: str) -> Function:
    """The Jacobian, from the graph that one run of the function leaves.

    Args:
        asked: the transform that the person asked for, ``jacrev`` or ``jacfwd``: PyTorch words what it refuses by that.
    """
    whose = "vjp(f, *primals)" if asked == "jacrev" else "jvp(f, primals, tangents)"
    blocks_of = rows_of if asked == "jacrev" else columns_of

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
            blocks = [rebuild(picked.shape, settled(blocks_of(o, picked.aliases), connected)) for o in outputs]
        made = rebuild(output_shape, blocks)
        return (made, picked.extra(extra, connected)) if has_aux else made

    return jacobian


def rows_of(output: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    """The Jacobian of one output: ``output.shape + input.shape`` per input, one backward pass per element of the output."""
    flat = output.reshape(-1)
    rows = [gradients([flat[j]], inputs, [flat.new_ones(())]) for j in range(flat.numel())]
    return [
        (stack([row[n] for row in rows]) if rows else i.new_zeros((0, *i.shape))).reshape((*output.shape, *i.shape))
        for n, i in enumerate(inputs)
    ]


def columns_of(output: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    """The same by columns, one per element of the inputs; of an output of whole numbers, whole zeros.

    The gradients are linear in what comes in from above, and their slope with respect to that, times a direction, is how the output
    moves in that direction.
    """
    if output._array.dtype.kind not in REAL_OR_COMPLEX:
        return [i.new_zeros((*output.shape, *i.shape), dtype=output.dtype) for i in inputs]
    incoming = output.new_zeros(output.shape)._tracked()
    slopes = gradients([output], inputs, [incoming])
    still = [i.new_zeros(i.shape) for i in inputs]
    blocks = []
    for n, i in enumerate(inputs):
        columns = []
        for place in range(i.numel()):
            direction = i.new_zeros((i.numel(),))
            direction[place] = 1
            columns += gradients(slopes, [incoming], [*still[:n], direction.view(i.shape), *still[n + 1 :]])
        made = stack(columns).movedim(0, -1) if columns else output.new_zeros((*output.shape, 0))
        blocks.append(made.reshape((*output.shape, *i.shape)))
    return blocks


def stack(tensors: list[Tensor]) -> Tensor:
    """``torch.stack`` along a new first dimension."""
    made: Tensor = TABLES["torch"]["stack"](tensors, 0)
    return made


def jacfwd(func: Function, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """A function that returns the Jacobian, column by column; custom Functions with a ``jvp`` of their own are asked for theirs.

    Raises (when it is called):
        RuntimeError: an unknown kind of randomness; random numbers are drawn, with ``"error"``.
    """
    from engine.transforms import columns  # here, since few programs ask for Jacobians

    in_one_run = jacobian_in_one_run(columns.watched(func), argnums, has_aux, "jacfwd")

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        check_randomness(randomness)
        for number in checked_argnums(argnums, len(args)):
            for leaf in flatten(args[number])[0]:
                if isinstance(leaf, Tensor):
                    check_differentiable(leaf, leaf)
        try:
            drawing = drawing_refused(REFUSES_DRAWS) if randomness == "error" else nullcontext()
            with drawing, layer(tracks=False):  # the vmap over the directions
                return in_one_run(*args, **kwargs)
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
