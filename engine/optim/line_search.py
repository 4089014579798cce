"""A line search that ends where the strong Wolfe conditions hold (Nocedal & Wright 2006, 3.5 and 3.6)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.tensor import Tensor

LEAST_STRETCH, MOST_STRETCH = 0.01, 10
"""While nothing is bracketed, a step is this part of the last advance longer at least, and so many times as long at most."""
MARGIN = 0.1
"""How far inside its bracket a guess must lie, as a part of its width."""


class Point(NamedTuple):
    """What was found at one step length."""

    length: float
    loss: float
    gradient: Tensor
    slope: Any
    """Of the loss along the direction."""


def strong_wolfe(
    evaluate: Callable[[float], tuple[float, Tensor]],
    length: float,
    direction: Tensor,
    loss: float,
    gradient: Tensor,
    slope: Any,
    max_iterations: int,
) -> tuple[float, Tensor, float, int]:
    """(loss, gradient, step length, number of evaluations) at an acceptable point along ``direction``.

    Args:
        evaluate: loss and gradient at a step length.
        length: first guess.
        loss, gradient, slope: at the start; the slope is the gradient along the direction.
        max_iterations: how often the length may be changed after the first guess.
    """
    reach = float(direction.abs().max())
    search = Search(evaluate, direction, reach, Point(0, loss, gradient.clone(), float(slope)), max_iterations)
    best = search.zoomed(*search.bracketed(length))
    return best.loss, best.gradient, best.length, search.calls


@dataclass(slots=True)
class Search:
    """A search along one direction, which has made so many ``iterations`` and ``calls`` of ``evaluate``."""

    evaluate: Callable[[float], tuple[float, Tensor]]
    direction: Tensor
    reach: float
    """The largest element of the direction: how far a parameter moves per unit of length."""
    start: Point
    max_iterations: int
    c1: float = 1e-4
    """Which part of the start's slope the loss must fall by."""
    c2: float = 0.9
    """Which part of the start's slope may be left."""
    least_change: float = 1e-9
    iterations: int = 0
    calls: int = 0

    def measured(self, length: float) -> Point:
        """The point at a step length."""
        self.calls += 1
        loss, gradient = self.evaluate(length)
        gradient = gradient.clone()
        return Point(length, loss, gradient, float(gradient.dot(self.direction)))

    def is_too_high(self, point: Point) -> bool:
        """Whether the loss has not fallen enough for so long a step."""
        return point.loss > self.start.loss + self.c1 * point.length * self.start.slope

    def is_flat_enough(self, point: Point) -> bool:
        """Whether the slope has nearly gone."""
        return bool(abs(point.slope) <= -self.c2 * self.start.slope)

    def bracketed(self, length: float) -> tuple[list[Point], bool]:
        """Goes farther until an acceptable point is passed: (the points around it, False) or (the point itself, True)."""
        previous, here = self.start, self.measured(length)
        while self.iterations < self.max_iterations:
            if self.is_too_high(here) or (self.iterations > 1 and here.loss >= previous.loss):
                return [previous, here], False
            if self.is_flat_enough(here):
                return [here], True
            if here.slope >= 0:
                return [previous, here], False
            bounds = here.length + LEAST_STRETCH * (here.length - previous.length), here.length * MOST_STRETCH
            guess = cubic_minimum(previous, here, bounds)
            previous, here = here, self.measured(guess)
            self.iterations += 1
        return [self.start, here], False

    def zoomed(self, bracket: list[Point], done: bool) -> Point:
        """Narrows the bracket until its low end is acceptable, and returns that."""
        was_near_the_end = False
        low, high = (0, 1) if bracket[0].loss <= bracket[-1].loss else (1, 0)
        while not done and self.iterations < self.max_iterations:
            if abs(bracket[1].length - bracket[0].length) * self.reach < self.least_change:
                break
            length, was_near_the_end = inside(bracket, cubic_minimum(*bracket), was_near_the_end)
            here = self.measured(length)
            self.iterations += 1
            if self.is_too_high(here) or here.loss >= bracket[low].loss:
                bracket[high] = here
                low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
                continue
            done = self.is_flat_enough(here)
            if not done and here.slope * (bracket[high].length - bracket[low].length) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = here
        return bracket[low if len(bracket) > 1 else 0]


def inside(bracket: list[Point], length: float, was_near_the_end: bool) -> tuple[float, bool]:
    """The length, kept off the bracket's ends: near one of them twice in a row, it is moved a tenth of the way inside.

    Returns:
        The length, and whether it is near an end.
    """
    left, right = min(bracket[0].length, bracket[1].length), max(bracket[0].length, bracket[1].length)
    margin = MARGIN * (right - left)
    if not (min(right - length, length - left) < margin):  # NaN stays NaN
        return length, False
    if was_near_the_end or length >= right or length <= left:
        return right - margin if abs(length - right) < abs(length - left) else left + margin, False
    return length, True


def cubic_minimum(one: Point, other: Point, bounds: tuple[float, float] | None = None) -> float:
    """Where the cubic through two points with these slopes is least, within the bounds."""
    (x1, f1, _, g1), (x2, f2, _, g2) = one, other
    low, high = bounds if bounds is not None else (min(x1, x2), max(x1, x2))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    if x1 <= x2:
        place = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        place = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(place, low), high)
