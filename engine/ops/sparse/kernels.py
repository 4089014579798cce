"""Which kernel an operator has for sparse tensors: one table, asked as soon as a program has made one.

PyTorch's dispatcher chooses a kernel by layout before anything is computed; the node and its derivative are the operator's own, and
run on sparse gradients by the same rule. An operator without an entry refuses, as it does there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine.autograd.modes import state as modes
from engine.ops.core import dispatch
from engine.ops.core.inplace import InPlace
from engine.ops.core.operator import Operator, array_of
from engine.ops.core.overloads import overload_of
from engine.ops.sparse.arrays import SparseArray
from engine.ops.sparse.blocks import Blocks, no_blocks
from engine.ops.sparse.compressed import NO_LINES, Compressed
from engine.tensor import Tensor, wrap

KERNELS: dict[str, Callable[..., Any]] = {}
"""By the operator's name, or by its node's where several have one name; each takes the operator's arrays in signature order."""
TAKE_BLOCKS = frozenset(
    "abs add addmm asin asinh atan atanh ceil clone conj deg2rad div erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p "
    "mm mul mv neg rad2deg relu round select sgn sign signbit sin sinh sqrt sum t tan tanh _to_copy transpose trunc".split()
)
"""Operators whose kernels are for matrices of blocks too."""
FAMILY = "sparse"
"""Operators that were declared for sparse tensors, and have no other kernel."""


def sparse_kernel(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares what operators of these names do with sparse tensors among their arguments."""

    def declare(kernel: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            KERNELS[name] = kernel
        return kernel

    return declare


def sparse_among(arguments: tuple[Any, ...]) -> Iterator[SparseArray]:
    """The sparse arrays of a call, those in list arguments included."""
    for argument in arguments:
        if isinstance(argument, Tensor):
            if isinstance(argument._array, SparseArray):
                yield argument._array
        elif type(argument) in (list, tuple):
            yield from sparse_among(tuple(argument))


def computed(operator: Operator, arguments: tuple[Any, ...], in_place: bool = False) -> Any:
    """`Operator.compute` for any layout.

    Raises:
        NotImplementedError: PyTorch's "Could not run", for an operator that has no kernel for sparse tensors.
        RuntimeError: an elementwise one, of compressed rows or columns.
    """
    first = next(sparse_among(arguments), None)
    if first is None:
        return operator.compute(arguments)
    kernel = (
        operator.kernel if operator.family == FAMILY else KERNELS.get(operator.class_name) or KERNELS.get(operator.name)
    )
    if isinstance(first, Blocks) and operator.family != FAMILY and operator.name not in TAKE_BLOCKS:
        raise RuntimeError(no_blocks(first))
    if kernel is None and isinstance(first, Compressed) and operator.family == "pointwise":
        raise RuntimeError(NO_LINES)
    if kernel is None:
        raise first.not_for_sparse(overload_of(operator, arguments, in_place).name().removeprefix("aten::"))
    arrays = [array_of(argument) for argument in arguments]
    if operator.promotion is not None:
        promote(operator, arrays)
    return kernel(*arrays)


def promote(operator: Operator, arrays: list[Any]) -> None:
    """Brings dtypes together: those of the values stand for the whole."""
    assert operator.promotion is not None
    flat = [array.values if isinstance(array, SparseArray) else array for array in arrays]
    operator.promotion.apply(flat)
    for position in operator.promotion.positions:
        array = arrays[position]
        arrays[position] = array.with_values(flat[position]) if isinstance(array, SparseArray) else flat[position]


def dispatched(operator: Operator, arguments: tuple[Any, ...]) -> tuple[Any, list[Tensor]]:
    """What is asked instead of `Operator.compute`: dispatch modes first, then the layouts."""
    if modes.dispatching:
        return dispatch.dispatched(operator, arguments)
    value = computed(operator, arguments)
    return value, [wrap(v) for v in value] if type(value) in (tuple, list) else [wrap(value)]


def dispatched_in_place(operator: Operator, arguments: tuple[Any, ...]) -> Any:
    """The value to write, chosen in the same way."""
    if modes.dispatching:
        return dispatch.dispatched_in_place(operator, arguments)
    return computed(operator, arguments, in_place=True)


Operator.dispatched = dispatched
InPlace.dispatched = staticmethod(dispatched_in_place)
