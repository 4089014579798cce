"""Sizes of an operator's results on large tensors, from running its kernel on small ones.

PyTorch has a function from shapes to shapes for every operator. Ours are read off the kernels: each large size is replaced by two small
ones that leave the same remainder, so that strides and steps fit as before, and the sizes of the results, which grow by a
constant per period (or by a product, where several dimensions become one), are continued to the large size.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from engine.ops.meta.arrays import MetaArray, filled, meta_array
from engine.tensor import Tensor, wrap

LARGE = 1 << 16
"""Number of elements from which on a kernel is not run on them all."""
SMALL = 64
"""Sizes up to this stay as they are."""
VARIED = 3
"""Most different sizes that are replaced: each doubles the number of runs."""
LONGEST_PERIOD = 240
"""With a longer one the small sizes would be small no more."""


def is_large(arguments: tuple[Any, ...]) -> bool:
    """Whether the tensors of a call are too many elements to compute with."""
    return sum(tensor._array.size for tensor in tensors_in(arguments)) > LARGE


def tensors_in(arguments: Any) -> Iterator[Tensor]:
    """The tensors of a call, those in lists included."""
    for argument in arguments:
        if isinstance(argument, Tensor):
            yield argument
        elif type(argument) in (list, tuple):
            yield from tensors_in(argument)


def whole_numbers(arguments: Any) -> Iterator[int]:
    """The numbers of a call that may be steps, dilations and the like."""
    for argument in arguments:
        if type(argument) is int:
            yield argument
        elif type(argument) in (list, tuple):
            yield from whole_numbers(argument)


def continued(compute: Callable[[tuple[Any, ...]], Any], arguments: tuple[Any, ...]) -> Any:
    """What ``compute(arguments)`` would give, by form: a `MetaArray`, or a tuple of them."""
    period = math.lcm(2, *{n for n in whole_numbers(arguments) if 1 < n <= 16})
    period = period if period <= LONGEST_PERIOD else 2
    choices = replacements(arguments, period)
    corners = {}
    for corner in product((0, 1), repeat=len(choices)):
        chosen = {size: low + period * step for (size, low), step in zip(choices.items(), corner, strict=True)}
        try:
            corners[corner] = compute(tuple(replaced(argument, chosen) for argument in arguments))
        except (RuntimeError, ValueError, IndexError) as error:
            raise with_sizes_of_the_call(error, chosen) from None
    steps = [(size - low) // period for size, low in choices.items()]
    first = next(iter(corners.values()))
    if type(first) not in (tuple, list):
        return grown(list(corners), [np.asarray(value) for value in corners.values()], steps)
    return tuple(
        grown(list(corners), [np.asarray(value[place]) for value in corners.values()], steps)
        for place in range(len(first))
    )


def with_sizes_of_the_call(error: Exception, chosen: dict[int, int]) -> Exception:
    """The same complaint about the sizes that were replaced."""
    meant = {str(small): str(size) for size, small in chosen.items()}
    return type(error)(re.sub(r"\d+", lambda number: meant.get(number[0], number[0]), str(error)))


def replacements(arguments: tuple[Any, ...], period: int) -> dict[int, int]:
    """The lower of the two small sizes for each of the largest sizes; none of them is met elsewhere in the call."""
    sizes = {n for tensor in tensors_in(arguments) for n in tensor._array.shape}
    taken, chosen = sizes | set(whole_numbers(arguments)), {}
    for size in sorted((n for n in sizes if n > SMALL), reverse=True)[:VARIED]:
        low = size % period + period * -(-SMALL // period)
        while {low, low + period} & taken:
            low += period
        if low + period < size:
            chosen[size] = low
            taken |= {low, low + period}
    return chosen


def replaced(argument: Any, chosen: dict[int, int]) -> Any:
    """The argument with small sizes: tensors get elements that any kernel takes, in the same order."""
    if isinstance(argument, Tensor):
        array = argument._array
        shape = [chosen.get(n, n) for n in array.shape]
        order = sorted(range(len(shape)), key=lambda axis: -array.strides[axis]) if array.ndim else []
        return wrap(filled([shape[axis] for axis in order], array.dtype).transpose(np.argsort(order)))
    if type(argument) is int:
        return chosen.get(argument, argument)
    if type(argument) in (list, tuple):
        return type(argument)(replaced(part, chosen) for part in argument)
    return argument


def grown(corners: list[tuple[int, ...]], values: list[np.ndarray], steps: list[int]) -> MetaArray:
    """A result at the large sizes: linear in each of them between and beyond the corners."""
    weights = [
        math.prod(step if up else 1 - step for up, step in zip(corner, steps, strict=True)) for corner in corners
    ]
    shape = [
        sum(w * n for w, n in zip(weights, lengths, strict=True))
        for lengths in zip(*(v.shape for v in values), strict=True)
    ]
    return meta_array(shape, values[0].dtype, None, values[0].strides)
