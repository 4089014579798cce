"""Random numbers drawn around, or by, the values of tensors: ``normal``, ``bernoulli``, ``multinomial``, ``poisson``, ``binomial``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype_names import SCALAR_TYPE
from engine.late import Late
from engine.ops.core.declare import composite, operator
from engine.ops.core.outputs import write_made
from engine.ops.core.unimplemented import unimplemented
from engine.ops.factories.factory import checked_size, leaf, require_place, resolved_dtype
from engine.ops.factories.filled import floating
from engine.ops.random.state import source
from engine.tensor import Tensor, wrap

if TYPE_CHECKING:
    from engine.random import distributions as random
else:
    random = Late("engine.random.distributions")


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
    return drawn if out is None else write_made(drawn, out)


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
    return drawn if out is None else write_made(drawn, out)


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
    return drawn if out is None else write_made(drawn, out)


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
