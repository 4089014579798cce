"""Random numbers written into a tensor: ``uniform_``, ``normal_``, ``bernoulli_``, ``random_`` …

Values are drawn in the order in which elements lie in memory, so a transposed tensor gets them transposed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.late import Late
from engine.ops.core.catalogue import publish
from engine.ops.core.declare import composite, operator
from engine.ops.core.inplace import InPlace
from engine.ops.random.state import source
from engine.tensor import Tensor, wrap

if TYPE_CHECKING:
    from engine.random import distributions as random
else:
    random = Late("engine.random.distributions")


def in_memory_order(array: Any, draw: Callable[[tuple[int, ...]], np.ndarray]) -> np.ndarray:
    """Values for ``array``: ``draw`` gets the shape as it lies in memory, slowest dimension first."""
    order = sorted(range(array.ndim), key=lambda dim: -array.strides[dim])
    drawn = draw(tuple(array.shape[dim] for dim in order))
    return drawn.transpose(np.argsort(order)) if order else drawn


def fill(grad_fn: str, renamed: dict[str, str] | None = None) -> Callable[[Callable[..., Any]], InPlace]:
    """Declares a method that overwrites its tensor; what stood there before gets gradient 0."""

    def declare(kernel: Callable[..., Any]) -> InPlace:
        name = kernel.__name__.rstrip("_")
        made = operator(name=name, at="", grad_fn=grad_fn, renamed=renamed, self=overwritten)(kernel)
        twin = InPlace(made)
        twin.__doc__ = kernel.__doc__
        publish("tensor", f"{name}_", twin)
        return twin

    return declare


def overwritten(grad: Tensor) -> Tensor:
    """Nothing of the old value is left."""
    return wrap(np.zeros(grad._array.shape, grad._array.dtype))


FROM = {"from": "from_"}


@fill("UniformBackward0", FROM)
def uniform_(self: Any, from_: float = 0.0, to: float = 1.0, *, generator: Any = None) -> Any:
    """Draws uniform numbers from [from, to); what was there before gets zero gradient."""
    drawing = source(generator, "uniform_")
    return in_memory_order(self, lambda shape: random.uniform(drawing, shape, self.dtype, from_, to))


@fill("NormalBackward0")
def normal_(self: Any, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Any:
    """Draws normal numbers; what was there before gets zero gradient."""
    drawing, contiguous = source(generator, "normal_"), self.flags.c_contiguous
    return in_memory_order(
        self, lambda shape: random.normal(drawing, shape, self.dtype, mean, std, contiguous=contiguous)
    )


@fill("ExponentialBackward0")
def exponential_(self: Any, lambd: float = 1.0, *, generator: Any = None) -> Any:
    """Draws exponential numbers, none below zero; what was there before gets zero gradient."""
    drawing = source(generator, "exponential_")
    return in_memory_order(self, lambda shape: random.exponential(drawing, shape, self.dtype, lambd))


@fill("CauchyBackward0")
def cauchy_(self: Any, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Any:
    """Draws Cauchy numbers; what was there before gets zero gradient."""
    drawing = source(generator, "cauchy_")
    return in_memory_order(self, lambda shape: random.cauchy(drawing, shape, self.dtype, median, sigma))


@fill("LogNormalBackward0")
def log_normal_(self: Any, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Any:
    """Draws numbers whose logarithm is normal; what was there before gets zero gradient."""
    drawing = source(generator, "log_normal_")
    return in_memory_order(self, lambda shape: random.log_normal(drawing, shape, self.dtype, mean, std))


@fill("GeometricBackward0")
def geometric_(self: Any, p: float, *, generator: Any = None) -> Any:
    """Draws how many trials it takes to succeed once; what was there before gets zero gradient."""
    drawing = source(generator, "geometric_")
    return in_memory_order(self, lambda shape: random.geometric(drawing, shape, self.dtype, p))


@fill("BernoulliBackward2")
def bernoulli_(self: Any, p: float = 0.5, *, generator: Any = None) -> Any:
    """Draws 1 with probability ``p``, else 0; what was there before gets zero gradient."""
    drawing = source(generator, "bernoulli_")
    return in_memory_order(self, lambda shape: random.bernoulli(drawing, shape, self.dtype, p))


@operator(name="bernoulli", at="", grad_fn="BernoulliBackward1", self=overwritten, p=overwritten)
def bernoulli_by_element(self: Any, p: Any, *, generator: Any = None) -> Any:
    """Draws 1 with the probability at the same place in ``p``, else 0; what was there before gets zero gradient."""
    chances = np.broadcast_to(p, self.shape)
    return random.bernoulli_of(source(generator, "bernoulli_"), chances, self.dtype)


@fill("RandomBackward2")
def random_(self: Any, *, generator: Any = None) -> Any:
    """Draws whole numbers, none below zero; what was there before gets zero gradient."""
    drawing = source(generator, "random_")
    return in_memory_order(self, lambda shape: random.whole_range(drawing, shape, self.dtype))


@operator(name="random", at="", grad_fn="RandomBackward1", self=overwritten)
def random_below(self: Any, to: int, *, generator: Any = None) -> Any:
    """Draws whole numbers from 0 up to but without ``to``; what was there before gets zero gradient."""
    drawing = source(generator, "random_")
    return in_memory_order(self, lambda shape: random.integers(drawing, shape, self.dtype, 0, to))


@operator(name="random", at="", grad_fn="RandomBackward0", self=overwritten, renamed=FROM)
def random_between(self: Any, from_: int, to: int | None, *, generator: Any = None) -> Any:
    """Draws whole numbers from ``from`` up to but without ``to``; what was there before gets zero gradient."""
    drawing = source(generator, "random_")
    return in_memory_order(self, lambda shape: random.integers(drawing, shape, self.dtype, from_, to))


_bernoulli_by_element = InPlace(bernoulli_by_element)
_random_below, _random_between = InPlace(random_below), InPlace(random_between)


@composite(at="tensor", name="bernoulli_")
def bernoulli_fill(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """1 with probability ``p`` (a number, or a tensor of them), else 0."""
    chosen = _bernoulli_by_element if isinstance(p, Tensor) else bernoulli_
    return chosen(self, p, generator=generator)


def random_fill(self: Tensor, *bounds: Any, generator: Any = None, **named: Any) -> Tensor:
    """``random_()``, ``random_(to)`` or ``random_(from, to)``: whole numbers, each as likely as the next."""
    given = len(bounds) + len(named)
    chosen = (random_, _random_below, _random_between)[min(given, 2)]
    return chosen(self, *bounds, generator=generator, **named)


publish("tensor", "random_", random_fill)
