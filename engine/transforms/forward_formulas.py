"""Forward derivatives in PyTorch's own order, where it is not that of the derivative differentiated twice.

Facts from PyTorch's ``derivatives.yaml`` (the ``result:`` entries) and ``logsumexp_jvp``. An argument without a tangent counts as one
whose tangent is zero: its term adds nothing to the numbers, yet leads to what it is multiplied with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.ops.core.catalogue import TABLES
from engine.ops.pointwise.activations import hardsigmoid_backward
from engine.ops.pointwise.exponential import logit_backward
from engine.ops.pointwise.trigonometry import sinc_backward
from engine.tensor import Tensor
from engine.transforms.primal import primal_of

Product = Callable[[Any, Any], Tensor]


class Moving:
    """The arguments of a call: values and tangents.

    Args:
        arguments: as the operator got them, the tensors of a list one by one.
        tangents: one per argument, None where there is none.
        recorded: whether the tangent is to lead to the values that it is multiplied with.
    """

    def __init__(self, arguments: Sequence[Any], tangents: Sequence[Tensor | None], recorded: bool) -> None:
        self.tangents, self.recorded = tangents, recorded
        self.values = [
            primal_of(a) if isinstance(a, Tensor) and t is not None else a
            for a, t in zip(arguments, tangents, strict=True)
        ]

    def tangent(self, place: int) -> Tensor | None:
        """The tangent of an argument; zeros where it has none, if that shows in the graph."""
        known = self.tangents[place]
        value = self.values[place]
        if known is not None or not self.recorded:
            return known
        return value.new_zeros(value.shape) if isinstance(value, Tensor) else zero()

    def both(self, product: Product, first: int, second: int) -> Tensor | None:
        """The product rule: each of two arguments' tangent with the other's value; None if neither has a tangent."""
        a, b = self.tangent(first), self.tangent(second)
        terms = [
            None if a is None else product(a, self.values[second]),
            None if b is None else product(self.values[first], b),
        ]
        return added(*terms)


def added(first: Tensor | None, second: Tensor | None) -> Tensor | None:
    """The sum of those that are there."""
    return second if first is None else first if second is None else first + second


def zero() -> Tensor:
    """The tangent of a Python number."""
    made: Tensor = TABLES["torch"]["zeros"](())
    return made


def of_product(moving: Moving, result: Tensor) -> Tensor | None:
    """``b' a + a' b``."""
    a, b = moving.tangent(0), moving.tangent(1)
    return added(None if b is None else b * moving.values[0], None if a is None else a * moving.values[1])


def of_quotient(moving: Moving, result: Tensor) -> Tensor:
    """``(a' − b' y) / b``."""
    a, b = moving.tangent(0), moving.tangent(1)
    if b is None:
        assert a is not None
        return a / moving.values[1]
    moved = b * result
    return (-moved if a is None else a - moved) / moving.values[1]


def logsumexp_moved(value: Tensor, tangent: Tensor, dim: int) -> Tensor:
    """The tangent of ``logsumexp`` along a dimension that stays."""
    weights = (value - value.amax(dim, True)).exp()
    total = weights.sum(dim, True)
    moved: Tensor = (weights * tangent).sum(dim, True) / total
    return moved


def of_softmax(moving: Moving, result: Tensor) -> Tensor:
    """``y (x' − logsumexp')``."""
    (tangent,) = moving.tangents[:1]
    assert tangent is not None
    return result * (tangent - logsumexp_moved(moving.values[0], tangent, moving.values[1]))


def of_log_softmax(moving: Moving, result: Tensor) -> Tensor:
    """``x' − logsumexp'``."""
    (tangent,) = moving.tangents[:1]
    assert tangent is not None
    return tangent - logsumexp_moved(moving.values[0], tangent, moving.values[1])


def of_matrix_product(name: str) -> Callable[[Moving, Tensor], Tensor | None]:
    """``a' b + a b'`` for a product that the operator of this name computes."""

    def formula(moving: Moving, result: Tensor) -> Tensor | None:
        return moving.both(TABLES["torch"][name], 0, 1)

    return formula


def of_addmm(moving: Moving, result: Tensor) -> Tensor | None:
    """``α (a' b + a b') + β c'``."""
    beta, alpha = moving.values[3:]
    start, product = moving.tangent(0), moving.both(TABLES["torch"]["mm"], 1, 2)
    if start is not None:
        start = start if beta == 1 else start * beta
        start = start if product is not None else start.expand(result.shape)
    return added(product if product is None or alpha == 1 else product * alpha, start)


def of_where(moving: Moving, result: Tensor) -> Tensor:
    """``a'`` where the condition holds, ``b'`` elsewhere."""
    first, second = (zero() if t is None else t for t in (moving.tangent(1), moving.tangent(2)))
    chosen: Tensor = TABLES["torch"]["where"](moving.values[0], first, second)
    return chosen


def of_joined(name: str) -> Callable[[Moving, Tensor], Tensor]:
    """The tangents joined as the tensors are, by the operator of this name: the formula for a list of tensors and a dimension."""

    def formula(moving: Moving, result: Tensor) -> Tensor:
        *tensors, dim = moving.values
        parts = [
            value.new_zeros(value.shape) if t is None else t for value, t in zip(tensors, moving.tangents, strict=False)
        ]
        joined: Tensor = TABLES["torch"][name](parts, dim)
        return joined

    return formula


def of_choice(weight: Callable[[Any, Any], Tensor]) -> Callable[[Moving, Tensor], Tensor | None]:
    """``b' + w · (a' − b')`` for an operator that takes one of two numbers; ``weight`` says how much of the first it is."""

    def formula(moving: Moving, result: Tensor) -> Tensor | None:
        a, b = moving.tangent(0), moving.tangent(1)
        share = weight(*moving.values[:2])
        if b is None:
            return None if a is None else share * a
        return b + share * (-b if a is None else a - b)

    return formula


def halved_where_equal(larger: Callable[[Any, Any], Tensor]) -> Callable[[Any, Any], Tensor]:
    """One where the first is taken, zero where it is not, a half where both are the same."""
    return lambda a, b: TABLES["torch"]["where"](a == b, 0.5, larger(a, b).to(a.dtype))


def of_logcumsumexp(moving: Moving, result: Tensor) -> Tensor:
    """``Σ e^x x' / Σ e^x`` up to each place; PyTorch's 1e-13 keeps it from 0/0 where the largest comes later."""
    (tangent,), value, dim = moving.tangents[:1], moving.values[0], moving.values[1]
    assert tangent is not None
    if not value.ndim:
        return tangent
    powers = (value - value.amax(dim, True)).exp()
    moved: Tensor = (powers * tangent).cumsum(dim) / (powers.cumsum(dim) + 1e-13)
    return moved


def of_logit(moving: Moving, result: Tensor) -> Tensor | None:
    """Its derivative, which is flat where ``eps`` cuts."""
    tangent = moving.tangent(0)
    return None if tangent is None else logit_backward(tangent, moving.values[0], moving.values[1])


def of_elements(backward: Callable[[Tensor, Any], Tensor]) -> Callable[..., Tensor | None]:
    """``backward(x', x)``: an elementwise operator's derivative serves in both directions.

    Differentiated twice it would not: where a formula chooses, what it did not choose may be infinite (0 · ∞), and some derivatives
    have none of their own.
    """

    def formula(moving: Moving, result: Tensor) -> Tensor | None:
        tangent = moving.tangent(0)
        return None if tangent is None else backward(tangent, moving.values[0])

    return formula


FORMULAS: dict[str, Callable[[Moving, Tensor], Tensor | None]] = {
    "MulBackward0": of_product, "DivBackward0": of_quotient, "WhereBackward0": of_where, "SoftmaxBackward0": of_softmax,
    "LogSoftmaxBackward0": of_log_softmax, "AddmmBackward0": of_addmm,
    **{f"{name.capitalize()}Backward0": of_matrix_product(name) for name in ("mm", "bmm", "mv", "dot")},
    **{f"{name.capitalize()}Backward0": of_joined(name) for name in ("cat", "stack")},
    "MaximumBackward0": of_choice(halved_where_equal(lambda a, b: a > b)),
    "MinimumBackward0": of_choice(halved_where_equal(lambda a, b: a < b)),
    "FmaxBackward0": of_choice(lambda a, b: ((a > b) | b.isnan()).to(a.dtype)),
    "FminBackward0": of_choice(lambda a, b: ((a <= b) | b.isnan()).to(a.dtype)),
    "LogcumsumexpBackward0": of_logcumsumexp, "LogitBackward0": of_logit,
    "SincBackward0": of_elements(sinc_backward), "HardsigmoidBackward0": of_elements(hardsigmoid_backward),
}  # fmt: skip
"""By node; the others' derivatives, differentiated once more, are in PyTorch's order already."""
