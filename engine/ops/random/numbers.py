"""New tensors of random numbers: ``rand``, ``randn``, ``randint``, ``randperm`` and their ``_like`` forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine import dtype as dtypes
from engine.late import Late
from engine.ops.factories.factory import checked_size, factory
from engine.ops.factories.filled import floating, like_factory
from engine.ops.random.fills import in_memory_order
from engine.ops.random.state import source
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.random import distributions as random
else:
    random = Late("engine.random.distributions")


@factory
def rand(*size: int, generator: Any = None, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Uniform numbers in [0, 1)."""
    return random.uniform(source(generator, "rand"), size, floating(dtype))


@factory
def randn(*size: int, generator: Any = None, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Normal numbers around 0 with standard deviation 1."""
    return random.normal(source(generator, "randn"), size, floating(dtype))


@factory
def randperm(n: int, *, generator: Any = None, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """The numbers 0 … n − 1, shuffled.

    Raises:
        TypeError: no whole number.
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise TypeError(f"randperm(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    return random.permutation(source(generator, "randperm"), int(n), (dtype or dtypes.int64).array)


@factory
def randint(
    *bounds_and_size: Any,
    low: int | None = None,
    high: int | None = None,
    size: Any = None,
    generator: Any = None,
    dtype: dtypes.dtype | None = None,
) -> np.ndarray:
    """Whole numbers from low (0 if left out) up to but without high."""
    low, high, shape = bounds("randint", bounds_and_size, low, high, size)
    return random.integers(source(generator, "randint"), shape, (dtype or dtypes.int64).array, low, high)


def bounds(
    function: str, given: tuple[Any, ...], low: int | None, high: int | None, size: Any
) -> tuple[int, int, tuple[int, ...]]:
    """Sorts out ``(high, size)`` and ``(low, high, size)``.

    Raises:
        TypeError: something is missing or no whole number.
    """
    rest = list(given)
    if rest and isinstance(rest[-1], list | tuple) and size is None:
        size = rest.pop()
    if size is None or len(rest) > 2 or not (rest or high is not None):
        if len(rest) > 1 and size is None:
            position, wrong = len(rest), type(rest[-1]).__name__
            raise TypeError(f"{function}(): argument 'size' (position {position}) must be tuple of ints, not {wrong}")
        kinds = ", ".join(type(each).__name__ for each in given)
        raise TypeError(
            f"{function}() received an invalid combination of arguments - got ({kinds}), "
            f"but expected {function}(high, size) or {function}(low, high, size)"
        )
    if len(rest) == 2:
        low, high = rest
    elif rest and high is None:
        high = rest[0]
    elif rest:
        low = rest[0]
    first = 0 if low is None else whole_bound(function, low, "low", 1)
    last = whole_bound(function, high, "high", 1 if low is None else 2)
    return first, last, checked_size(function, (tuple(size),))


def whole_bound(function: str, bound: Any, name: str, position: int) -> int:
    """A bound as a whole number; a 0-d tensor or numpy scalar gives its own.

    Raises:
        TypeError: no whole number.
    """
    if isinstance(bound, Tensor | np.generic):
        bound = bound.item()
    if isinstance(bound, bool) or not isinstance(bound, int):
        word = type(bound).__name__
        raise TypeError(f"{function}(): argument '{name}' (position {position}) must be int, not {word}")
    return bound


@like_factory
def rand_like(array: np.ndarray, *, generator: Any = None) -> np.ndarray:
    """Uniform numbers in [0, 1), shaped like ``input``."""
    return in_memory_order(array, lambda shape: random.uniform(source(generator, "rand_like"), shape, array.dtype))


@like_factory
def randn_like(array: np.ndarray, *, generator: Any = None) -> np.ndarray:
    """Normal numbers, shaped like ``input``."""
    contiguous = array.flags.c_contiguous
    return in_memory_order(
        array, lambda shape: random.normal(source(generator, "randn_like"), shape, array.dtype, contiguous=contiguous)
    )


@like_factory
def randint_like(
    array: np.ndarray, *given: int, low: int | None = None, high: int | None = None, generator: Any = None
) -> np.ndarray:
    """Whole numbers from low (0 if left out) up to but without high, shaped and typed like ``input``."""
    first, last, _ = bounds("randint_like", given, low, high, ())
    return in_memory_order(
        array, lambda shape: random.integers(source(generator, "randint_like"), shape, array.dtype, first, last)
    )
