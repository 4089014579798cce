"""What an operator does with meta tensors: its kernel runs on stand-ins, and only the form of the result is kept.

Views are views of the array itself, so strides, offsets and shared storage are as on the CPU. PyTorch checks devices in its
elementwise operators; where it does not, and would read memory that holds nothing, we refuse too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.autograd.running import running
from engine.ops.core.inplace import InPlace
from engine.ops.core.operator import Operator
from engine.ops.meta import sizes
from engine.ops.meta.arrays import NO_NONZERO, MetaArray, forgotten, is_meta, meta_array, plain, without_kernel
from engine.ops.random.state import fork_rng
from engine.ops.sparse import kernels as by_layout
from engine.placement import NO_COPY
from engine.tensor import Tensor, wrap

CHECKED = frozenset({"cat", "stack", "native_batch_norm", "addmm", "baddbmm", "nll_loss", "masked_fill"})
"""Operators that look at devices, besides the elementwise ones."""
SECOND_FIRST = frozenset({"addmm", "baddbmm", "nll_loss", "masked_fill"})
"""Those of them that expect all to be where their second argument is."""
PRODUCTS = frozenset({"mm", "addmm", "matmul", "mv", "addmv", "linear"})
SPELLED_OUT = "_unsafe_view"
"""The operator whose result has the sizes that it is told, however many elements that takes."""
BY_VALUE = frozenset("masked_select unique_dim _unique2 unique_consecutive bincount histc equal".split())
"""Operators whose results have as many elements as the values say."""


def meta_among(arguments: tuple[Any, ...]) -> bool:
    """Whether a call has meta tensors."""
    return any(is_meta(tensor) for tensor in sizes.tensors_in(arguments))


def computed(operator: Operator, arguments: tuple[Any, ...]) -> Any:
    """`Operator.compute` by form: a `MetaArray`, or a tuple of them.

    Raises:
        RuntimeError: PyTorch's words about shapes.
        NotImplementedError: the result's shape depends on values.
    """
    if operator.name == "argwhere" or (operator.name == "index" and has_mask(arguments)):
        raise NotImplementedError(NO_NONZERO)
    if operator.name in BY_VALUE:
        raise NotImplementedError(without_kernel(operator.name))
    if operator.is_view:
        return seen(operator, arguments)
    unsafe = operator.signature.index.get("unsafe")
    if unsafe is not None:  # `segment_reduce`, which would look at the lengths otherwise: they are not there
        arguments = (*arguments[:unsafe], True, *arguments[unsafe + 1 :])
    try:
        with fork_rng():
            if sizes.is_large(arguments) and operator.name != SPELLED_OUT:
                return sizes.continued(operator.compute, arguments)
            value = operator.compute(tuple(stand_in(argument) for argument in arguments))
    except RuntimeError as error:
        raise in_words_of_forms(operator, arguments, error) from None
    return tuple(forgotten(v) for v in value) if type(value) in (tuple, list) else forgotten(np.asarray(value))


def has_mask(arguments: tuple[Any, ...]) -> bool:
    """Whether something is chosen by truth values that are not there."""
    return any(is_meta(tensor) and tensor._array.dtype.kind == "b" for tensor in sizes.tensors_in(arguments[1:]))


def seen(operator: Operator, arguments: tuple[Any, ...]) -> Any:
    """A view, or a tuple of them."""
    value = operator.compute(tuple(stand_in(argument) for argument in arguments))
    return (
        tuple(v.view(MetaArray) for v in value) if type(value) in (tuple, list) else np.asarray(value).view(MetaArray)
    )


def stand_in(argument: Any) -> Any:
    """The argument as kernels may read it."""
    if is_meta(argument):
        return wrap(plain(argument._array))
    if type(argument) in (list, tuple):
        return type(argument)(stand_in(part) for part in argument)
    return argument


def require_one_device(operator: Operator, arguments: tuple[Any, ...]) -> None:
    """Tensors without dimensions on the CPU count as numbers; the first of the others says where all must be.

    Raises:
        RuntimeError: PyTorch's "Tensor on device … is not on the expected device …".
    """
    if operator.name in SECOND_FIRST:
        arguments = (arguments[1], arguments[0], *arguments[2:])
    tensors = [tensor for tensor in sizes.tensors_in(arguments) if is_meta(tensor) or tensor._array.ndim]
    expected = is_meta(tensors[0])
    if expected and operator.promotion is None and operator.name not in CHECKED:
        return
    if any(is_meta(tensor) is not expected for tensor in tensors):
        here, there = ("meta", "cpu") if expected else ("cpu", "meta")
        raise RuntimeError(f"Tensor on device {there} is not on the expected device {here}!")


def in_words_of_forms(operator: Operator, arguments: tuple[Any, ...], error: RuntimeError) -> RuntimeError:
    """What PyTorch's shape functions say where its CPU kernels say something else."""
    shapes = [tensor._array.shape for tensor in sizes.tensors_in(arguments)]
    if operator.name in PRODUCTS and "cannot be multiplied" in str(error):
        one, other = shapes[-2:]
        return RuntimeError(f"a and b must have same reduction dim, but got {list(one)} X {list(other)}.")
    if "must match the size" in str(error) and len(shapes) > 1:
        one, other = shapes[:2]
        for place in range(1, min(len(one), len(other)) + 1):
            if one[-place] != other[-place] and 1 not in (one[-place], other[-place]):
                return RuntimeError(
                    f"Attempting to broadcast a dimension of length {other[-place]} at -{place}! Mismatching argument at index 1 had "
                    f"torch.Size({list(other)}); but expected shape should be broadcastable to {list(one)}"
                )
    return error


def dispatched(operator: Operator, arguments: tuple[Any, ...]) -> tuple[Any, list[Tensor]]:
    """What is asked instead of `Operator.compute`: dispatch modes first, then devices, then layouts."""
    if modes.dispatching or not meta_among(arguments):
        return by_layout.dispatched(operator, arguments)
    if not running:  # derivatives bring along zeros and ones of their own
        require_one_device(operator, arguments)
    value = computed(operator, arguments)
    return value, [wrap(v) for v in value] if type(value) is tuple else [wrap(value)]


def dispatched_in_place(operator: Operator, arguments: tuple[Any, ...]) -> Any:
    """The value to write, chosen in the same way.

    Raises:
        NotImplementedError: there is nothing that could be written into a tensor with elements.
    """
    if modes.dispatching or not meta_among(arguments):
        return by_layout.dispatched_in_place(operator, arguments)
    target = arguments[0]
    if not is_meta(target):
        raise NotImplementedError(NO_COPY)
    if operator.definition.__module__.startswith("engine.ops.random"):
        return meta_array(target._array.shape, target._array.dtype)
    return computed(operator, arguments)


Operator.dispatched = dispatched
InPlace.dispatched = staticmethod(dispatched_in_place)
