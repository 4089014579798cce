"""New tensors of random numbers, and random choices from tensors; `engine.random` has the distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype_names import SCALAR_TYPE
from engine.late import Late
from engine.ops.core.declare import composite, operator
from engine.ops.core.outputs import write_out
from engine.ops.core.unimplemented import unimplemented
from engine.ops.factories.factory import checked_size, factory, leaf, require_place, resolved_dtype
from engine.ops.factories.filled import floating, like_factory
from engine.ops.random.fills import in_memory_order
from engine.ops.random.state import source
from engine.tensor import Tensor, wrap

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


# ── drawn around, or by, the values of tensors ───────────────────────────────────────────────────────────────────────


def no_slope(grad: Tensor) -> Tensor:
    """A draw does not move with its parameters: the gradient is 0, which PyTorch sends all the same."""
    return wrap(np.zeros(grad._array.shape, grad._array.dtype))


def no_slope_of(grad: Tensor, shape: Any) -> Tensor:
    """The same, in the shape of the argument."""
    return wrap(np.zeros(tuple(shape), grad._array.dtype))


@operator(
    at="",
    name="normal",
    grad_fn="NormalBackward1",
    mean=lambda grad, mean_sym_sizes: no_slope_of(grad, mean_sym_sizes),
)
def normal_around(mean: Any, std: float = 1.0, *, generator: Any = None) -> Any:
    """Draws a normal number around each mean. PyTorch sends zero back."""
    return random.normal(source(generator, "normal"), mean.shape, mean.dtype, 0.0, std) + mean


@operator(
    at="",
    name="normal",
    grad_fn="NormalBackward2",
    std=lambda grad, std_sym_sizes: no_slope_of(grad, std_sym_sizes),
)
def normal_spread(mean: float, std: Any, *, generator: Any = None) -> Any:
    """Draws a normal number with each standard deviation. PyTorch sends zero back."""
    check_spread(std)
    return random.normal(source(generator, "normal"), std.shape, std.dtype) * std + std.dtype.type(mean)


@operator(
    at="",
    name="normal",
    grad_fn="NormalBackward3",
    mean=lambda grad, mean_sym_sizes: no_slope_of(grad, mean_sym_sizes),
    std=lambda grad, std_sym_sizes: no_slope_of(grad, std_sym_sizes),
)
def normal_both(mean: Any, std: Any, *, generator: Any = None) -> Any:
    """Draws a normal number for each pair of mean and standard deviation. PyTorch sends zero back."""
    check_spread(std)
    shape = np.broadcast_shapes(mean.shape, std.shape)
    return (random.normal(source(generator, "normal"), shape, mean.dtype) * std + mean).astype(mean.dtype)


def check_spread(std: Any) -> None:
    """Refuses complex and negative standard deviations.

    Raises:
        RuntimeError: a deviation that is complex or negative.
    """
    if std.dtype.kind == "c":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if not (std >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")


@composite(at="torch")
def normal(
    mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, out: Tensor | None = None,
    dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Normal numbers around ``mean`` with standard deviation ``std``: tensors, or two numbers and a size.

    Raises:
        TypeError: a size that is no tuple, or that comes with tensors.
    """
    if size is not None and any(
        isinstance(each, Tensor) and (each.dim() or each.requires_grad) for each in (mean, std)
    ):
        raise TypeError("normal() takes a size only with numbers for mean and std")
    mean, std = (each.item() if isinstance(each, Tensor) and size is not None else each for each in (mean, std))
    if isinstance(mean, Tensor):
        drawn = (normal_both if isinstance(std, Tensor) else normal_around)(mean, std, generator=generator)
    elif isinstance(std, Tensor):
        drawn = normal_spread(mean, std, generator=generator)
    else:
        if not isinstance(size, list | tuple):
            kinds = ", ".join(type(each).__name__ for each in (mean, std, *([] if size is None else [size])))
            raise TypeError(
                f"normal() received an invalid combination of arguments - got ({kinds}), but expected tensors "
                "for mean or std, or two numbers and a size (a tuple of ints)"
            )
        require_place(layout, device, pin_memory)
        chosen = resolved_dtype("normal", dtype) or (None if out is None else out.dtype)
        shape = checked_size("normal", (tuple(size),))
        array = random.normal(source(generator, "normal"), shape, floating(chosen), mean, std)
        drawn = leaf(array, "normal", requires_grad)
    return drawn if out is None else write_out(drawn, out)


@operator(at="", name="bernoulli", self=no_slope)
def bernoulli_of(self: Any, *, generator: Any = None) -> Any:
    """Draws 1 with the probability that stands there, else 0. PyTorch sends zero back."""
    return random.bernoulli_of(source(generator, "bernoulli"), np.asarray(self), self.dtype)


@operator(at="", name="bernoulli", grad_fn="NotImplemented", **unimplemented("bernoulli", "self"))
def bernoulli_alike(self: Any, p: float, *, generator: Any = None) -> Any:
    """Draws 1 with probability ``p``, else 0. PyTorch gives it no derivative."""
    return random.bernoulli(source(generator, "bernoulli"), self.shape, self.dtype, p)


@composite(at="torch tensor")
def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None, out: Tensor | None = None) -> Tensor:
    """1 or 0, each with the probability in ``input`` (or ``p`` for all)."""
    if p is None:
        drawn = bernoulli_of(input, generator=generator)
    else:
        drawn = bernoulli_alike(input, p, generator=generator)
    return drawn if out is None else write_out(drawn, out)


@operator(at="", name="multinomial")
def chosen_by_weight(self: Any, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Any:
    """Chooses places by their weight; a choice has no slope."""
    return random.multinomial(source(generator, "multinomial"), np.asarray(self), num_samples, replacement)


@composite(at="torch tensor")
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None, out: Tensor | None = None
) -> Tensor:
    """Chooses ``num_samples`` places of each row, by their weight.

    Raises:
        RuntimeError: an ``out`` of another dtype than int64.
    """
    if out is not None and out.dtype is not dtypes.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {SCALAR_TYPE[out.dtype.name]}")
    drawn: Tensor = chosen_by_weight(input, num_samples, replacement, generator=generator)
    return drawn if out is None else write_out(drawn, out)


@operator(at="torch", self=no_slope)
def poisson(self: Any, generator: Any = None) -> Any:
    """Draws a count of events for each rate. PyTorch sends zero back."""
    return random.poisson(source(generator, "poisson"), np.asarray(self))


@operator(
    at="torch",
    count=lambda grad, count_sym_sizes: no_slope_of(grad, count_sym_sizes),
    prob=lambda grad, prob_sym_sizes: no_slope_of(grad, prob_sym_sizes),
)
def binomial(count: Any, prob: Any, generator: Any = None) -> Any:
    """Draws how many of ``count`` trials succeed, each with probability ``prob``. PyTorch sends zero back."""
    counts, chances = np.broadcast_arrays(count, prob)
    return random.binomial(source(generator, "binomial"), counts, chances)
